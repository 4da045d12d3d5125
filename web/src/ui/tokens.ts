/** The colours and measures of the console, one set a theme. `ui.css` holds the same names for our own parts. */
export interface Palette {
  primary: string
  good: string
  warn: string
  bad: string
  text: string
  textSoft: string
  border: string
  page: string
  surface: string
  raised: string
  /** Text on a solid button. */
  onSolid: string
}

/** Every text colour here reaches 4.5:1 on the surfaces it is used on (WCAG 2.2 AA). */
export const lightPalette: Palette = {
  primary: '#1660cf',
  good: '#1a7434',
  warn: '#8f5300',
  bad: '#c22b2b',
  text: '#1d2733',
  textSoft: '#556170',
  border: '#d5dbe2',
  page: '#f2f4f7',
  surface: '#ffffff',
  raised: '#ffffff',
  onSolid: '#ffffff',
}

export const darkPalette: Palette = {
  primary: '#5a9bff',
  good: '#5fc97d',
  warn: '#e0a54a',
  bad: '#ff8080',
  text: '#dfe5ec',
  textSoft: '#a3afbd',
  border: '#303a47',
  page: '#0f141b',
  surface: '#171d26',
  raised: '#1f2733',
  onSolid: '#0b1420',
}

export const fontFamily =
  '"Inter", -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans SC", "Noto Sans CJK SC", sans-serif'
