"""Controls Chromium without a window by WebDriver (https://www.w3.org/TR/webdriver2/) over HTTP.

    with Browser() as browser:
        browser.open(path)
        browser.run("return document.title")

Needs chromium and chromedriver; Browser.missing() returns the missing ones.
"""
import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 120  # seconds; a browser on a busy machine is slow but must finish
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb"]


class WebDriverError(Exception):
    pass


class Browser:
    """`state`: settings of Chromium that differ from the default. `flags`: further arguments."""

    def __init__(self, state=None, flags=()):
        self.driver = self.session = self.connection = None
        self.state = state or {}
        self.flags = [*FLAGS, *flags]
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)

    @staticmethod
    def missing():
        """The needed programs that are not installed."""
        found = {"chromium": any(map(shutil.which, CHROMIUM)), "chromedriver": shutil.which("chromedriver")}
        return [name for name, there in found.items() if not there]

    @staticmethod
    def started_or_skip(state=None, flags=()):
        """A started browser, to be used in `with`. Ends the program as skipped if none is available: if none is installed, or if
        an installed one failed to start twice, as in a container that forbids what it needs."""
        if missing := Browser.missing():
            print(f"[  SKIPPED ] no {' and no '.join(missing)} is installed here")
            sys.exit(0)
        browser = Browser(state, flags)
        try:
            return browser.__enter__()
        except Exception as why:  # any exception: the page is not involved
            browser.__exit__()
            print(f"[  SKIPPED ] no browser can be started here: {f'{type(why).__name__}: {why}'.splitlines()[0]}")
            sys.exit(0)

    def __enter__(self):
        if self.session:
            return self
        try:
            self.start()
        except (WebDriverError, OSError, http.client.HTTPException):  # the machine may be slow: try again
            self.stop()
            self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def start(self):
        home = {"HOME": self.folder.name, "XDG_CONFIG_HOME": self.folder.name, "XDG_CACHE_HOME": self.folder.name}
        said = pathlib.Path(self.folder.name, "chromedriver.log")
        with open(said, "w", encoding="utf-8") as log:
            self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=log, stderr=log, env=os.environ | home)
        port = wait_until(lambda: re.search(r"successfully on port (\d+)", said.read_text(encoding="utf-8")),
                          "chromedriver starts")
        self.connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=PATIENCE)
        chromium = next(filter(None, map(shutil.which, CHROMIUM)))
        profile = tempfile.mkdtemp(dir=self.folder.name)
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": chromium, "args": [*self.flags, f"--user-data-dir={profile}"],
                                    "localState": self.state},
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"pageLoad": 1000 * PATIENCE, "script": 1000 * PATIENCE}}}})
        self.session = f"/session/{answer['sessionId']}"

    def stop(self):
        try:
            if self.session:
                self.ask("DELETE", self.session)
        except (WebDriverError, OSError, http.client.HTTPException):
            pass  # the session ends with its driver
        self.session = None
        if self.connection:
            self.connection.close()
        if self.driver:
            self.driver.terminate()
            try:
                self.driver.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.driver.kill()
                self.driver.wait()
            self.driver = None

    def ask(self, method, path, body=None):
        self.connection.request(method, path, json.dumps(body) if body is not None else None,
                                {"Content-Type": "application/json"})
        answer = json.loads(self.connection.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise WebDriverError(f"{answer['error']}: {answer['message']}")
        return answer

    def post(self, path, body):
        return self.ask("POST", self.session + path, body)

    def cdp(self, command, **parameters):
        """Runs a command of Chromium's own protocol."""
        return self.post("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def run(self, script, *arguments):
        """Runs the body of a function and returns its result. If that is a promise, returns its value."""
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def open(self, path):
        self.go(pathlib.Path(path).resolve().as_uri())

    def go(self, address):
        self.post("/url", {"url": address})

    def size(self, width, height):
        """Sets the size of the page, as on a device with such a screen."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        """Sets the colour scheme: light or dark."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def complaints(self):
        """The warnings and errors of the console since the last call."""
        return [entry for entry in self.post("/se/log", {"type": "browser"}) if entry["level"] in ("SEVERE", "WARNING")]

    def move_mouse(self, x, y):
        """Moves the mouse by real mouse events to a point in the window."""
        moves = [{"type": "pointerMove", "duration": 50, "x": round(x) + step, "y": round(y) + step} for step in (-2, 0)]
        self.post("/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                                            "actions": moves}]})

    def drag(self, start, end):
        """Drags with the left button from one point in the window to another."""
        def at(place, duration):
            return {"type": "pointerMove", "duration": duration, "x": round(place[0]), "y": round(place[1])}
        self.post("/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                                            "actions": [at(start, 0), {"type": "pointerDown", "button": 0}, at(end, 300),
                                                        {"type": "pointerUp", "button": 0}]}]})

    def wheel(self, x, y, down, ctrl=False):
        """Turns the mouse wheel by `down` pixels at a point in the window."""
        self.cdp("Input.dispatchMouseEvent", type="mouseWheel", x=round(x), y=round(y), deltaX=0, deltaY=down, modifiers=2 if ctrl else 0)

    def picture(self, path, **clip):
        """Saves the page, or a part of it (x, y, width, height), as a PNG."""
        part = {"clip": {"x": 0, "y": 0, "scale": 1} | clip} if clip else {}
        got = self.cdp("Page.captureScreenshot", captureBeyondViewport=True, **part)
        pathlib.Path(path).write_bytes(base64.b64decode(got["data"]))


def wait_until(condition, what):
    """Calls condition() repeatedly until its result is true, and returns the result."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    raise WebDriverError(f"{what}: not within {PATIENCE} s")
