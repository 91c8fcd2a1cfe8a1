from email.message import EmailMessage
from email import message_from_string, policy
import mimetypes, quopri
m = EmailMessage()
m["Subject"], m["From"], m["To"] = "Grüße", "a@example.org", "b@example.org"
m.set_content("Hällo\n")
m.add_attachment(b"1,2", maintype="text", subtype="csv", filename="x.csv")
parsed = message_from_string(m.as_string(), policy=policy.default)
print(parsed["subject"], [p.get_content_type() for p in parsed.walk()], parsed.get_body().get_content().strip())
print(mimetypes.guess_type("a.html")[0], quopri.encodestring("ä=".encode()))
