/** The browser's name as the sign-in record shows it. Edge says Chrome too, and Chrome says Safari, so order matters. */
export function browserName(userAgent: string): string {
  if (/Firefox\//.test(userAgent)) return '火狐浏览器'
  if (/Edg(e|A|iOS)?\//.test(userAgent)) return 'Edge浏览器'
  if (/Chrome\/|CriOS\//.test(userAgent)) return '谷歌浏览器'
  if (/MSIE |Trident\//.test(userAgent)) return 'IE浏览器'
  return '其他浏览器'
}
