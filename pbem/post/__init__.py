"""The post: fetches players' letters, has them carried out, and sends the answers, by itself."""
