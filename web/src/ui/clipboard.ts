/** Copies a text. Without TLS the browser offers no clipboard API; there the old way still works. */
export async function copyText(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // Inside the dialog that may hold the focus, so that the selection is not taken away.
  const place = document.activeElement?.parentElement ?? document.body
  place.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
