"""Runs the scripted model of the kit. If a prompt contains `@say TEXT`, the model replies TEXT instead of DONE.

Claude Code lists some of its own tools only when the model searches for them. The kit searches for each as a tool of
fugue; here it is searched for by its own name.

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


# The tools of Claude Code that have to be searched for.
DEFERRED = ["ExitPlanMode"]


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, address, handler):
        class Saying(handler):
            def route(self, path, body):
                self.say = wanted(body)
                return super().route(path, body)

            def sse(self, events, **options):
                text = json.dumps(events)
                if self.say:
                    text = text.replace('"DONE"', json.dumps(self.say))
                for name in DEFERRED:
                    text = text.replace("mcp__fugue__" + name, name)
                events = json.loads(text)
                return super().sse(events, **options)

        super().__init__(address, Saying)


sys.argv = sys.argv[1:]
http.server.ThreadingHTTPServer = Server
runpy.run_path(sys.argv[0], run_name="__main__")
