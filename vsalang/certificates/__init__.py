"""Certificates: what an action did, made by the program without a model, and the memory of it.

from vsalang.certificates import certificates, certify, document, short

one = certify(verdict, before, after, program)     # in a session; after it: certificates(session, program, sources)
short(one)                                         # 'tap "Save" (button): executed, nothing changed'
document(one)                                      # JSON data, by docs/reference/certificate.schema.json

Nothing here permits anything: a memory may warn, ask and order, and the checker holds programs to that.
"""

from vsalang.certificates.document import NoCertificate, document, read
from vsalang.certificates.expecting import agreed, useless
from vsalang.certificates.keys import Key, key_of, module_hash, screen_hash
from vsalang.certificates.making import certify, certify_step
from vsalang.certificates.model import Certificate
from vsalang.certificates.sessions import certificates
from vsalang.certificates.wording import did, long, short

__all__ = [
    "Certificate",
    "Key",
    "NoCertificate",
    "agreed",
    "certificates",
    "certify",
    "certify_step",
    "did",
    "document",
    "key_of",
    "long",
    "module_hash",
    "read",
    "screen_hash",
    "short",
    "useless",
]
