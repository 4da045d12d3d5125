/** Every colour of the console, once. The shell reads them as CSS custom properties, antd as its theme. */
export interface Tokens {
  primary: string
  primaryHover: string
  primarySoft: string
  onPrimary: string
  success: string
  warning: string
  danger: string
  info: string
  text: string
  textMuted: string
  textFaint: string
  line: string
  lineStrong: string
  page: string
  surface: string
  raised: string
  hover: string
  shadow: string
  sidebar: string
  sidebarDeep: string
  sidebarText: string
  sidebarTextStrong: string
  sidebarHover: string
  sidebarActive: string
  sidebarOnActive: string
}

export const light: Tokens = {
  primary: '#1d5fd6',
  primaryHover: '#2f74ee',
  primarySoft: '#e9f0fd',
  onPrimary: '#ffffff',
  success: '#17803d',
  warning: '#a85a00',
  danger: '#c62f2f',
  info: '#1d5fd6',
  text: '#18212f',
  textMuted: '#525f73',
  textFaint: '#6a7689',
  line: '#e3e8ef',
  lineStrong: '#c9d2de',
  page: '#f3f5f8',
  surface: '#ffffff',
  raised: '#ffffff',
  hover: '#f0f3f8',
  shadow: '0 8px 28px rgb(16 28 48 / 16%)',
  sidebar: '#263445',
  sidebarDeep: '#1c2836',
  sidebarText: '#c3cedb',
  sidebarTextStrong: '#ffffff',
  sidebarHover: '#31425a',
  sidebarActive: '#1d5fd6',
  sidebarOnActive: '#ffffff',
}

export const dark: Tokens = {
  primary: '#5b96ff',
  primaryHover: '#7fadff',
  primarySoft: '#1a2c4d',
  onPrimary: '#08152c',
  success: '#4cc07a',
  warning: '#e0a34a',
  danger: '#f0736f',
  info: '#5b96ff',
  text: '#e4e9f1',
  textMuted: '#a5b0c0',
  textFaint: '#8793a5',
  line: '#2a3442',
  lineStrong: '#3d4a5c',
  page: '#10161f',
  surface: '#18202b',
  raised: '#1f2936',
  hover: '#222d3b',
  shadow: '0 10px 32px rgb(0 0 0 / 55%)',
  sidebar: '#161f2b',
  sidebarDeep: '#101823',
  sidebarText: '#b3bfcd',
  sidebarTextStrong: '#ffffff',
  sidebarHover: '#212d3d',
  sidebarActive: '#2a63c9',
  sidebarOnActive: '#ffffff',
}

export const fontFamily =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", "WenQuanYi Micro Hei", sans-serif'

export const monoFamily = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'

export const tokensOf = (theme: 'light' | 'dark'): Tokens => (theme === 'dark' ? dark : light)

const cssName = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Writes the tokens as CSS custom properties (`--text-muted`) on the root element. */
export function applyTokens(theme: 'light' | 'dark') {
  const root = document.documentElement
  root.dataset.theme = theme
  root.style.colorScheme = theme
  for (const [name, value] of Object.entries(tokensOf(theme))) root.style.setProperty(cssName(name), value)
  root.style.setProperty('--font', fontFamily)
  root.style.setProperty('--mono', monoFamily)
}
