from html import escape, unescape
from html.parser import HTMLParser

class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.text = [], []
    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.links.append(dict(attrs).get("href"))
    def handle_data(self, data):
        if data.strip():
            self.text.append(data.strip())

parser = Links()
parser.feed("<p>See <a href='/one'>one</a> and <a href=\"/two?x=1&amp;y\">two</a>.<br/></p>")
print(parser.links, parser.text, escape("<a & b>"), unescape("&eacute;&#33;"))
