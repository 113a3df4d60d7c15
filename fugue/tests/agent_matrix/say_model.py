"""Runs the scripted model of the kit. If a prompt contains `@say TEXT`, the model replies TEXT instead of DONE.

Usage: say_model.py SCENE_LLM PORT LOG
"""
import http.server
import json
import re
import runpy
import sys


def wanted(body):
    """The text of the newest `@say` in a request."""
    found = re.findall(r"@say ((?:[^\"\\]|\\.)*)", json.dumps(body))
    return json.loads(f'"{found[-1]}"').replace("\\n", "\n") if found else None


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, address, handler):
        class Saying(handler):
            def route(self, path, body):
                self.say = wanted(body)
                return super().route(path, body)

            def sse(self, events, **options):
                if self.say:
                    events = json.loads(json.dumps(events).replace('"DONE"', json.dumps(self.say)))
                return super().sse(events, **options)

        super().__init__(address, Saying)


sys.argv = sys.argv[1:]
http.server.ThreadingHTTPServer = Server
runpy.run_path(sys.argv[0], run_name="__main__")
