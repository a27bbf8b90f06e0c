"""The post: letters come and go by themselves. `pbem post` fetches, takes in and sends, for any number of games."""
