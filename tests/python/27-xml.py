import xml.etree.ElementTree as ET
from xml.dom import minidom
root = ET.fromstring("<shop><item id='1'><name>Pen</name></item><item id='2'><name>Ink &amp; co</name></item></shop>")
for item in root.iter("item"):
    print(item.get("id"), item.findtext("name"))
new = ET.SubElement(root, "item", id="3")
ET.SubElement(new, "name").text = "<Paper>"
ET.indent(root)
print(ET.tostring(root, encoding="unicode"))
print(minidom.parseString("<a><b/></a>").toprettyxml(indent=" "))
try:
    ET.fromstring("<a><b></a>")
except ET.ParseError as error:
    print(error)
