"""The reference server: mock and oracle for every API that the kit judges.

Requests come in at `app`, are routed by the document, checked, authenticated and handed to a
handler named after the operation. Handlers know their catalog; storage knows keys and bytes.
`reference_server.serve` starts it.
"""
