"""The bot: a plain, careful player that stands in for an absent one and knows no more than its side may know.

It marches one leader after the other to the hex where he is worth most: past cities that he may win over, at weak
enemies, into winter quarters. It fights where the odds are good and withdraws where they are not. Any other decision
it answers by the default, or by the first legal order.
"""
