import type { Pair } from '@/i18n/messages'

const browsers = {
  firefox: ['火狐浏览器', 'Firefox'],
  edge: ['Edge浏览器', 'Edge'],
  chrome: ['谷歌浏览器', 'Chrome'],
  internetExplorer: ['IE浏览器', 'Internet Explorer'],
  other: ['其他浏览器', 'Other browser'],
} as const satisfies Record<string, Pair>

/** The browser's Chinese name, which the contract wants at sign-in. Edge says Chrome too, and Chrome says Safari, so order matters. */
export function browserName(userAgent: string): string {
  if (/Firefox\//.test(userAgent)) return browsers.firefox[0]
  if (/Edg(e|A|iOS)?\//.test(userAgent)) return browsers.edge[0]
  if (/Chrome\/|CriOS\//.test(userAgent)) return browsers.chrome[0]
  if (/MSIE |Trident\//.test(userAgent)) return browsers.internetExplorer[0]
  return browsers.other[0]
}

/** A recorded browser in both languages; any other device keeps the name that it gave itself. */
export const deviceNames = (recorded: string): Pair =>
  Object.values(browsers).find(([zh]) => zh === recorded) ?? [recorded, recorded]
