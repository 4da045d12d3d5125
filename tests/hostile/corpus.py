"""The hostile files, the same ones at every run."""

from dataclasses import dataclass
from random import Random

import bent
import files
import packages
import profiles
import sheets

SEED = 20_261_122


@dataclass(frozen=True)
class Hostile:
    """A file, what it is sent as, and whether taking it for that would be wrong."""

    name: str
    kind: str
    content: bytes
    is_refused: bool = False


def corpus() -> list[Hostile]:
    random = Random(SEED)
    families = {
        "refused": ("apk", packages.refused(random)),
        "package": ("apk", packages.doubtful(random)),
        "workbook": ("sheet", sheets.workbooks()),
        "broken": ("sheet", sheets.broken(random)),
        "text": ("sheet", sheets.texts(random)),
        "picture": ("picture", files.pictures(random)),
        "tar": ("tar", files.tars(random)),
        "certificate": ("certificate", files.certificates(random)),
        "bent-package": ("apk", bent.packages(random)),
        "bent-workbook": ("sheet", bent.workbooks(random)),
        "bent-text": ("sheet", bent.texts(random)),
        "bent-picture": ("picture", bent.pictures(random)),
        "bent-tar": ("tar", bent.gzipped(random)),
        "profile": ("profile", profiles.profiles(random)),
    }
    return [
        Hostile(f"{family}/{name}", kind, content, family == "refused")
        for family, (kind, made) in families.items()
        for name, content in made
    ]
