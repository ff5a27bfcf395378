"""Certificates: what an action did, made by the program without a model, and the memory of it.

from vsalang.guard.memory import certificates, certify, document, short

one = certify(verdict, before, after, program)     # in a session; after it: certificates(session, program, sources)
short(one)                                         # 'tap "Save" (button): executed, nothing changed'
document(one)                                      # JSON data, by docs/reference/certificate.schema.json

Nothing here permits anything: a memory may warn, ask and order, and the checker holds programs to that.
"""

from vsalang.guard.memory.certificate import Certificate
from vsalang.guard.memory.certificate_document import NoCertificate, document, read
from vsalang.guard.memory.certificate_keys import Key, key_of, module_hash, screen_hash
from vsalang.guard.memory.certificate_words import did, long, short
from vsalang.guard.memory.certified_sessions import certificates
from vsalang.guard.memory.certifying import certify, certify_step
from vsalang.guard.memory.expecting import agreed, useless

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
