"""Draw the pictures of README and documentation from the results that ship with the package.

Usage: ``python scripts/make_pictures.py [--published | --gallery | --pages] [--times] [FOLDER]``;
FOLDER is ``docs/images`` where not given. With ``--published`` only the figures of the published
work are drawn, in its folder ``published``, which needs no browser and takes a minute and a half of
one processor; ``make docs`` does it. Seconds (Figure 6) are no two times the same: they are drawn
from ``published/figure_6.csv``, which ``--times`` measures anew. With ``--gallery`` only the
gallery is drawn, by the commands of its page (``docs/pictures.md``); with ``--pages``, all but
those two.

Every other picture is what a user sees: the page of ``rankbars demo`` in the system's Chromium, the
site of ``docs/site.md``, and the board that the same command prints on a terminal. Run it after a
change of the page, of the board or of a default; the numbers in the pictures are those of the code.
"""

from __future__ import annotations

import csv
import fcntl
import io
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

from PIL import Image
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

import rankbars as rb
from rankbars import Leaderboard, demos
from rankbars.render.plotting.style import picture_bytes
from rankbars.simulate.publishedfigures import figures
from rankbars.simulate.study import Table

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 80
WIDTH, HEIGHT = 1080, 860
SCREEN_COLOURS = 128
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# As root in a container, and without calls home.
BROWSER_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

# The usual drawing of a terminal, without fonts from the network.
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>A board on a terminal</title>
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font: 16px sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    """Draw all pictures."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    folder = Path(words[0]) if words else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    if "--gallery" in sys.argv:
        draw_gallery(folder / "gallery")
        return
    if "--pages" not in sys.argv:
        draw_published(folder / "published")
        if "--published" in sys.argv:
            return
        draw_gallery(folder / "gallery")
    with tempfile.TemporaryDirectory() as work:
        report = Path(work) / "report.html"
        run_demo("mmlu_pro", report)
        draw_page(report, folder)
        draw_reading(report, folder)
        draw_front(rb.load(report.with_suffix(".json")), folder)
        run_demo("vtab", report)
        draw_views(report, folder)
        board = run_demo("vtab", Path(work) / "vtab.html")
        draw_site(Path(work) / "site", folder)
    draw_terminal(board, "rankbars demo vtab", folder / "board.svg")
    for path in sorted(folder.iterdir()):
        print(f"{path}  {path.stat().st_size:,} bytes")


def run_demo(name: str, report: Path) -> str:
    """What ``rankbars demo NAME`` prints on a terminal; its page goes to `report`."""
    command = [str(Path(sys.executable).parent / "rankbars"), "demo", name]
    command += ["--html", str(report), "-o", str(report.with_suffix(".json"))]
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        command, stdout=inner, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment
    ) as process:
        os.close(inner)
        parts = []
        while part := _read(outer):
            parts.append(part)
    os.close(outer)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with exit code {process.returncode}")
    return b"".join(parts).decode("utf-8").replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other end of a terminal has closed.
        return b""


@contextmanager
def chromium() -> Iterator[Any]:
    """The system's Chromium."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise SystemExit("This needs Chromium. On Debian: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_OPTIONS)
        yield browser
        browser.close()


def _keep(pixels: bytes, target: Path) -> None:
    """A screenshot with as few colours as it needs to look the same."""
    with Image.open(io.BytesIO(pixels)) as picture:
        picture.convert("RGB").quantize(SCREEN_COLOURS).save(target, optimize=True)


def draw_page(report: Path, folder: Path) -> None:
    """The top of the page, and the card that it makes of itself."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(report.as_uri())
        _keep(page.screenshot(), folder / "page.png")
        page.get_by_text("Share", exact=True).click()
        with page.expect_download() as kept:
            page.get_by_role("button", name="Picture, PNG").click()
        _keep(kept.value.path().read_bytes(), folder / "page-card.png")


# What the numbers in the picture stand at, in the order of the list in docs/rank-intervals.md.
READING = (
    "h1 .lead",
    "#level a",
    "fieldset.scope",
    "tr.band.from rect.lead",
    "tr.band.from td.score",
    "tr.band.from small.gap",
    "tr.band.to small.gap",
)
NUMBER = """
([place, selector]) => {
  const at = document.querySelector(selector).getBoundingClientRect();
  const mark = document.createElement("span");
  mark.textContent = place;
  mark.style.cssText = `position:absolute; left:${at.right + 4}px; top:${at.top - 9}px; width:20px;
    height:20px; border-radius:10px; background:#a8541c; color:#fff; z-index:9; text-align:center;
    font:bold 13px/20px sans-serif`;
  document.body.append(mark);
}
"""


def draw_reading(report: Path, folder: Path) -> None:
    """The first screen with numbers at what a reader needs, and a row that lights up others."""
    with chromium() as browser:
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            color_scheme="light",
            reduced_motion="reduce",
        )
        page.goto(report.as_uri())
        page.wait_for_function('document.documentElement.dataset.ready === "true"')
        page.locator("tbody tr", has_text="jamba-1.5-large").first.hover()
        page.wait_for_timeout(300)
        # From the head of the table on, wherever the words above it end.
        top = page.locator("#board-table").evaluate("one => one.getBoundingClientRect().top")
        row = page.screenshot(clip={"x": 0, "y": top - 8, "width": WIDTH, "height": 320})
        _keep(row, folder / "read-row.png")
        page.mouse.move(0, 0)
        for place, selector in enumerate(READING, start=1):
            page.evaluate(NUMBER, [place, selector])
        page.wait_for_timeout(300)
        head = page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": 500})
        _keep(head, folder / "read-page.png")


View: TypeAlias = tuple[str, str, int, int]

# Views by the name of their picture: state of the page, colours, width and height.
VIEWS: dict[str, View] = {
    "page-model": ("#model=Sup-Rotation-100%25&vs=Rotation", "light", WIDTH, 1480),
    "page-compare": ("#pin=Sup-Rotation-100%25,Sup-100%25,Rotation&compare=1", "light", WIDTH, 900),
    "page-explore": ("#at=explore&w=1:3", "light", WIDTH, 1040),
    "page-dark": ("#fig=weights&at=picture", "dark", WIDTH, HEIGHT),
    "page-phone": ("", "light", 360, 800),
}
SITE_VIEWS: dict[str, View] = {
    "site": ("index.html", "light", WIDTH, 900),
    "site-dark": ("models.html", "dark", WIDTH, 620),
    "site-phone": ("index.html", "light", 360, 800),
}


def draw_views(report: Path, folder: Path) -> None:
    """A model with a comparison, several side by side, other weights, the dark, a phone."""
    _draw(report.as_uri(), VIEWS, folder)


def draw_site(place: Path, folder: Path) -> None:
    """The site that its page in the docs makes, and one of its models."""
    place.mkdir()
    text = (ROOT / "docs" / "site.md").read_text(encoding="utf-8")
    for name, held in re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```', text, re.M | re.S):
        (place / name).write_text(held, encoding="utf-8")
    shutil.copy(demos.demo_path(demos.DEMOS["vtab"]), place / "vtab.parquet")
    run_rankbars("site", "site.yaml", "-o", "public", "--quiet", folder=str(place))
    public = place / "public"
    model = next((public / "models").glob("rotation-*.html")).relative_to(public).as_posix()
    views = SITE_VIEWS | {"site-model": (model, "light", WIDTH, HEIGHT)}
    _draw(f"{public.as_uri()}/", views, folder)


def _draw(place: str, views: dict[str, View], folder: Path) -> None:
    """Pictures of addresses, each in its colours and its size."""
    with chromium() as browser:
        for name, (address, scheme, width, height) in views.items():
            page = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            page.goto(place + address)
            page.wait_for_timeout(600)  # some frames after the last drawing
            page.evaluate("document.activeElement?.blur()")
            _keep(page.screenshot(), folder / f"{name}.png")
            page.close()


# The first nine of a board, as a leaderboard prints them and as ranks that evidence allows.
LINE, LEFT, PIXEL_TOP = 30, 188, 58
HERO = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 {height}" role="img">
<title>{title}</title>
<style>
text {{ font: 14px "DejaVu Sans", Verdana, sans-serif; fill: #16181c }}
.h {{ font-weight: bold }} .n {{ font-size: 12px }} .s {{ fill: #5b6470; font-size: 12px }}
rect.bar {{ fill: #1f5f9e; transform-box: fill-box }}
@keyframes apart {{
  0%, 20%, 100% {{ transform: scaleX(var(--one)) }}
  38%, 82% {{ transform: none }}
}}
@media (prefers-reduced-motion: no-preference) {{
  .bar {{ animation: apart 9s ease-in-out infinite }}
}}
</style>
<rect width="360" height="{height}" rx="6" fill="#fff"/>
{marks}
</svg>
"""


def draw_front(board: Leaderboard, folder: Path) -> None:
    """A leaderboard, and the same with rank intervals that open and close."""
    ranks, rows = board.aggregate, [int(row) for row in board.order[:9]]
    if ranks is None:
        raise SystemExit("The picture of the front page needs a board with ranks on average.")
    models = [board.models[row] for row in rows]
    last = max(int(ranks.worst[row]) for row in rows)
    step = (350 - LEFT) / last
    heads = ['<text class="h" x="12" y="26">{}</text>']
    table, bars = (
        [heads[0].format("A leaderboard")],
        [heads[0].format("What the evidence supports")],
    )
    bars += [
        f'<text class="s" text-anchor="middle" x="{LEFT + (place + 0.5) * step:.1f}" y="48">'
        f"{place + 1}</text>"
        for place in range(last)
    ]
    for place, (model, row) in enumerate(zip(models, rows, strict=True)):
        y = PIXEL_TOP + LINE * place
        score = f"{100 * ranks.score[row]:.1f}"
        table.append(
            f'<text class="h" x="12" y="{y + 18}">{place + 1}</text>'
            f'<text x="36" y="{y + 18}">{escape(_cut(model, 27))}</text>'
            f'<text text-anchor="end" x="348" y="{y + 18}">{score}</text>'
        )
        best, worst = int(ranks.best[row]), int(ranks.worst[row])
        width = worst - best + 1
        span = f"{best}" if best == worst else f"{best}–{worst}"
        # A bar that is closed is one place wide, and stands where the leaderboard puts the model.
        origin = 0 if width == 1 else 100 * (place + 1 - best) / (width - 1)
        bars.append(
            f'<text class="n" x="12" y="{y + 18}">{escape(_cut(model, 20))}</text>'
            f'<text class="h" text-anchor="end" x="{LEFT - 6}" y="{y + 18}">{span}</text>'
            f'<rect class="bar" style="--one:{1 / width:.4f};transform-origin:{origin:.1f}% 50%" '
            f'x="{LEFT + (best - 1) * step:.1f}" y="{y + 4}" width="{width * step:.1f}" '
            'height="18"/>'
        )
    height = PIXEL_TOP + LINE * len(models) + 12
    for file, title, marks in (
        ("front-order.svg", "A leaderboard: nine models in order of their scores", table),
        ("front-ranks.svg", "The same nine models with the ranks that the evidence allows", bars),
    ):
        drawn = HERO.format(title=title, height=height, marks="\n".join(marks))
        (folder / file).write_text(drawn, encoding="utf-8")


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def draw_terminal(text: str, title: str, path: Path) -> None:
    """Coloured text of a terminal as a picture, without the notes on the file that was read."""
    text = text.partition(f"\n{Path(demos.__file__).parent}")[0]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=COLUMNS, file=nowhere, force_terminal=True, legacy_windows=False
        )
        console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=True)
        drawn = console.export_svg(
            title=title, theme=DEFAULT_TERMINAL_THEME, code_format=SVG, unique_id="board"
        )
    path.write_text(drawn + "\n", encoding="utf-8")


# What stands before a picture of the gallery is what draws it.
GALLERY = ROOT / "docs" / "pictures.md"
CODE = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
GALLERY_SIZES = ((760, 64), (760, 32), (760, 16), (600, 16))  # pixels across, colours
MOST_BYTES = 40_000


def draw_gallery(folder: Path) -> None:
    """Every picture of the gallery, by the commands of its page."""
    folder.mkdir(parents=True, exist_ok=True)
    text = GALLERY.read_text(encoding="utf-8")
    start, end = text.index("## A gallery of every kind"), text.index("## In Python")
    with tempfile.TemporaryDirectory() as work:
        for language, block in CODE.findall(text[start:end]):
            if language == "python":
                subprocess.run([sys.executable, "-c", block], check=True, cwd=work)
                continue
            for line in re.findall(r"^\$ rankbars (.*)$", block, re.MULTILINE):
                run_rankbars(*shlex.split(line), folder=work)
        for made in sorted(Path(work).glob("*.png")):
            _make_small(made, folder / made.name)


def _make_small(made: Path, target: Path) -> None:
    """Few pixels, and as many colours as few bytes allow."""
    with Image.open(made) as picture:
        drawn = picture.convert("RGB")
    for most, colours in GALLERY_SIZES:
        width = min(most, drawn.width)
        size = (width, round(drawn.height * width / drawn.width))
        small = drawn.resize(size, Image.Resampling.LANCZOS)
        small.quantize(colours, Image.Quantize.MAXCOVERAGE).save(target, optimize=True)
        if target.stat().st_size < MOST_BYTES:
            return
    raise SystemExit(f"{target} is larger than {MOST_BYTES:,} bytes: show fewer models.")


# The figures of the published work, with the commands of the page on what ships or is made.
MMLU = "mmlu_pro --missing pairwise --test t --correction holm --merge quantile --alpha-overall 0.5"
FOLDS = (
    "tabarena --missing drop_models --rows folds --folds 3 --direction higher --test t "
    "--correction holm --merge quantile --alpha-overall 0.5"
)
PUBLISHED_BOARDS = {
    "tabarena": f"{FOLDS} --aggregate tasks::elo",
    "regression": f"{FOLDS} --where category=regression",
    "mmlu": MMLU,
}
PUBLISHED_PLOTS = {
    "intervals_2": ("tabarena", "score_new_task"),
    "intervals_3": (
        "tabarena", "two_models", "--model", "(Prep)LightGBM (tuned)",
        "--model", "(Prep)RealTabPFN-2.5 (tuned)",
    ),
    "intervals_4a": ("mmlu", "score_spread"),
    "intervals_4b": ("mmlu", "heatmap"),
    "intervals_5a": ("mmlu", "new_task"),
    "intervals_7": ("regression", "new_task"),
}  # fmt: skip
SIMULATED = {
    "intervals_1a": (
        "figures --figure 1a --models 10 --rows 200 --correlation 0.5 --repetitions 5", "figure_1a"
    ),
    "intervals_1b": ("figures --figure 1b --models 10 --rows 200 --repetitions 10", "figure_1b"),
}  # fmt: skip
SECONDS = "figures --figure 6 --models 10"
TIMES = ROOT / "docs" / "images" / "published" / "figure_6.csv"
AGGREGATES = ("figure_3", "figure_4", "figure_5", "figure_6")  # of `rankbars simulate vtab`
PIXELS, COLOURS = 900, 256


def draw_published(folder: Path) -> None:
    """Every figure of the published work that can be drawn from what ships or is simulated."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for name, words in PUBLISHED_BOARDS.items():
            run_rankbars("rank", *_with_demo(words), "-q", "-o", Path(work) / f"{name}.json")
        for name, (board, kind, *options) in PUBLISHED_PLOTS.items():
            target = folder / f"{name}.svg"
            run_rankbars("plot", Path(work) / f"{board}.json", kind, *options, "-o", target)
        held_out = ("--hold-out", "4", "--held-out", folder / "intervals_5b.svg")
        run_rankbars("rank", *_with_demo(MMLU), "-q", *held_out)
        for name, (words, made) in SIMULATED.items():
            run_rankbars("simulate", *words.split(), "--picture", "svg", "-q", "-o", work)
            shutil.copyfile(Path(work) / f"{made}.svg", folder / f"{name}.svg")
        if "--times" in sys.argv:
            run_rankbars("simulate", *SECONDS.split(), "--picture", "none", "-q", "-o", work)
            shutil.copyfile(Path(work) / "figure_6.csv", TIMES)
        draw_seconds(folder / "intervals_6.svg")
        run_rankbars("simulate", "vtab", "--picture", "png", "-q", "-o", work)
        for made in AGGREGATES:  # thousands of marks, which are many bytes as lines
            with Image.open(Path(work) / f"{made}.png") as picture:
                size = (PIXELS, round(picture.height * PIXELS / picture.width))
                small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
                name = made.replace("figure", "aggregates")
                small.quantize(COLOURS).save(folder / f"{name}.png", optimize=True)


def draw_seconds(path: Path) -> None:
    """Figure 6 from the seconds that were measured last."""
    with TIMES.open(encoding="utf-8") as file:
        rows: Table = [
            {key: float(cell) for key, cell in row.items()} for row in csv.DictReader(file)
        ]
    draw = figures(["6"]).draw
    if draw is not None:
        path.write_bytes(picture_bytes(draw({"figure_6": rows})["figure_6"], "svg"))


def _with_demo(words: str) -> list[str]:
    name, *rest = words.split()
    return [str(demos.demo_path(demos.DEMOS[name])), *rest]


def run_rankbars(*words: str | Path, folder: str | None = None) -> None:
    """Run one command; its errors are shown."""
    program = [sys.executable, "-m", "rankbars"]
    subprocess.run([*program, *words], check=True, stdout=subprocess.DEVNULL, cwd=folder)


if __name__ == "__main__":
    main()
