"""Workbooks and tables of text, most of them meant to cost their reader dearly."""

from collections.abc import Iterator
from random import Random

from zips import Entry, Lies, bomb, build, entry

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OPEN = f'<worksheet xmlns="{MAIN}"><sheetData>'
CLOSE = "</sheetData></worksheet>"


def parts(sheet: bytes | str | Entry, *more: Entry) -> list[Entry]:
    name = "xl/worksheets/sheet1.xml"
    targets = {"worksheet": "worksheets/sheet1.xml", "sharedStrings": "sharedStrings.xml", "styles": "styles.xml"}
    related = "".join(
        f'<Relationship Id="r{at}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets.items())
    )
    return [
        entry("[Content_Types].xml", "<Types/>"),
        entry("_rels/.rels", f'<Relationships><Relationship Id="r" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>'),
        entry("xl/workbook.xml", f'<workbook xmlns:r="{RELATIONS}"><sheets><sheet name="a" sheetId="1" r:id="r0"/></sheets></workbook>'),
        entry("xl/_rels/workbook.xml.rels", f"<Relationships>{related}</Relationships>"),
        sheet if isinstance(sheet, Entry) else entry(name, sheet),
        *more,
    ]


def rows(*lines: list[str]) -> str:
    cells = ("".join(f'<c t="str"><v>{cell}</v></c>' for cell in line) for line in lines)
    return OPEN + "".join(f"<row>{line}</row>" for line in cells) + CLOSE


def good(*columns: tuple[str, str]) -> bytes:
    """A workbook with these headings, each with its value in the only row."""
    return build(parts(rows([heading for heading, _ in columns], [value for _, value in columns])))


def strings(text: str, count: int = 1) -> Entry:
    return entry("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}" count="{count}" uniqueCount="{count}">{text}</sst>')


def workbooks() -> Iterator[tuple[str, bytes]]:
    sheet = "xl/worksheets/sheet1.xml"
    head, foot = OPEN + '<row><c t="str"><v>', "</v></c></row>" + CLOSE
    for megabytes in (65, 100, 200, 400):
        yield f"cell-{megabytes}", build(parts(bomb(sheet, megabytes, head.encode(), b"x")))
        yield f"strings-{megabytes}", build(parts(rows(["a"]), bomb("xl/sharedStrings.xml", megabytes, b"<sst><si><t>", b"x")))
        yield f"beside-{megabytes}", build([*parts(rows(["a"])), bomb("xl/media/image1.png", megabytes)])
    for size in (1 << 20, 3 << 20, 30 << 20):
        yield f"long-cell-{size}", build(parts(head + "x" * size + foot))
        yield f"long-name-{size}", build(parts(f"{OPEN}<row><{'c' * size}>{foot}"))
        yield f"long-comment-{size}", build(parts(f"{OPEN}<!--{'-' * size}-->{CLOSE}"))
        yield f"long-string-{size}", build(parts(rows(["a"]), strings(f"<si><t>{'x' * size}</t></si>")))
    for count in (100_000, 1_000_000):
        yield f"tiny-strings-{count}", build(parts(rows(["a"]), strings("<si><t>x</t></si>" * count, count)))
        yield f"empty-cells-{count}", build(parts(f"{OPEN}<row>{'<c/>' * count}</row>{CLOSE}"))
        yield f"many-rows-{count}", build(parts(f"{OPEN}{'<row><c><v>1</v></c></row>' * count}{CLOSE}"))
        yield f"styles-{count}", build(parts(rows(["a"]), entry("xl/styles.xml", f"<styleSheet><cellXfs>{'<xf/>' * count}</cellXfs></styleSheet>")))
        names = '<sheet name="a"/>' * count
        book = entry("xl/workbook.xml", f"<workbook><sheets>{names}</sheets></workbook>")
        yield f"sheets-{count}", build([*parts(rows(["a"]))[:2], book])
    for depth in (65, 1000, 100_000, 1_000_000):
        for tag in ("row", "c", "x", "is"):
            yield f"deep-{tag}-{depth}", build(parts(f"{OPEN}{f'<{tag}>' * depth}"))
    for lie in ("4294967295", "18446744073709551615", "-1", "1e9", "x"):
        yield f"count-{lie}", build(parts(rows(["a"]), entry("xl/sharedStrings.xml", f'<sst uniqueCount="{lie}"><si><t>a</t></si></sst>')))
        yield f"row-{lie}", build(parts(f'{OPEN}<row r="{lie}"><c r="A{lie}"><v>1</v></c></row>{CLOSE}'))
        yield f"string-{lie}", build(parts(f'{OPEN}<row><c t="s"><v>{lie}</v></c></row>{CLOSE}'))
        yield f"style-{lie}", build(parts(f'{OPEN}<row><c s="{lie}"><v>1</v></c></row>{CLOSE}'))
    for place in ("XFD1048576", "ZZZZZZZZ1", "A0", "", "1A", "A" * 10_000 + "1"):
        yield f"dimension-{place[:9]}", build(parts(f'<worksheet><dimension ref="A1:{place}"/><sheetData><row><c r="{place}"><v>1</v></c></row>{CLOSE}'))
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    for part in ("xl/workbook.xml", "xl/sharedStrings.xml", sheet):
        text = f'<!DOCTYPE l [<!ENTITY l0 "ha">{laughs}]><a>&l11;</a>'
        yield f"laughs-{part[3:9]}", build([each for each in parts(rows(["a"])) if each.name != part.encode()] + [entry(part, text)])
        yield f"outside-{part[3:9]}", build(parts(rows(["a"]))[:4] + [entry(part, '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>')])
    for missing in range(5):
        yield f"missing-{missing}", build([each for at, each in enumerate(parts(rows(["a"]))) if at != missing])
    loop = entry("xl/_rels/workbook.xml.rels", f'<Relationships><Relationship Id="r0" Type="{RELATIONS}/worksheet" Target="../../../../etc/passwd"/></Relationships>')
    yield "target", build([each for each in parts(rows(["a"])) if b"workbook.xml.rels" not in each.name] + [loop])
    yield "encrypted", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096)


def texts(random: Random) -> Iterator[tuple[str, bytes]]:
    yield "open-quote", b'a,"' + b"x" * 3_000_000
    yield "quotes", b'"' * 2_000_001
    yield "commas", b"," * 2_000_000
    yield "lines", b"\n" * 2_000_000
    yield "returns", b"\r" * 1_000_000
    yield "one-line", "姓名,".encode() * 400_000
    yield "many-rows", "姓名,手机号\n".encode() + b"".join(b"n%d,139%08d\n" % (n, n) for n in range(220_000))
    yield "long-names", "姓名,备注\n".encode() + (b"x" * 4000 + b"," + b"y" * 4000 + b"\n") * 300
    yield "wide-rows", "姓名\n".encode() + (b"x" * 20 + b",") * 100_000
    yield "zeros", bytes(1_000_000)
    yield "half-utf16", b"\xff\xfea"
    yield "lone-surrogates", b"\xff\xfe" + b"\x00\xd8" * 100_000
    yield "big-endian", b"\xfe\xff" + "姓名\n张三\n".encode("utf-16-be") * 1000
    yield "gbk-half", "姓名\n张三\n".encode("gbk") + b"\x81"
    yield "formulas", "姓名,备注\n=cmd|' /C calc'!A0,@SUM(1)\n".encode() * 1000
    for size in (1, 3, 100, 10_000, 500_000):
        yield f"random-{size}", random.randbytes(size)
        yield f"random-text-{size}", bytes(random.choices(b'",;\n\rab\t\'', k=size))


def broken(random: Random) -> Iterator[tuple[str, bytes]]:
    whole = good(("姓名", "张三"))
    for at in range(1, 40):
        yield f"cut-{at}", whole[: len(whole) * at // 40]
    for at in range(40):
        bent = bytearray(whole)
        for _ in range(random.randint(1, 8)):
            bent[random.randrange(len(bent))] = random.randrange(256)
        yield f"bent-{at}", bytes(bent)
    for count in (0, 5, 0xFFFF, 60_000):
        yield f"declared-{count}", build(parts(rows(["a"])), Lies(count=count))
