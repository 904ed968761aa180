"""`prior-art doctor`: what goes wrong in practice, as lines that can be pasted into a bug report."""

from lsp_server.doctor.examination import examine
from lsp_server.doctor.report import doctor_json, doctor_report

__all__ = ["doctor_json", "doctor_report", "examine"]
