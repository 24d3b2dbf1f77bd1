"""A fabric without hardware: ibsim, OpenSM and heddled as child processes that always end with their parent.

Used by the integration tests, the demo and the benchmarks. Python standard library only.
"""
