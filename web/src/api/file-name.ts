const unnamed = 'download'

/** The file name in a content-disposition header. The encoded form (`filename*`) wins, as RFC 6266 says. */
export function fileNameOf(disposition: string | null): string {
  if (!disposition) return unnamed
  const encoded = /filename\*\s*=\s*(?:UTF-8|utf-8)''([^;]+)/.exec(disposition)?.[1]
  if (encoded) return decoded(encoded.trim())
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/.exec(disposition)
  const name = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2]?.trim()
  return name ? decoded(name) : unnamed
}

/** Some servers percent-encode the plain name too; a name with a stray percent sign is kept as it is. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
