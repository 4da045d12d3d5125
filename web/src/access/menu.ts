/** One entry of the menu tree, as the server sends it: section, screen or act. */
export interface MenuEntry {
  id?: string | number
  parentId?: string | number | null
  path?: string | null
  name: string
  icon?: string | null
  code?: string | null
  visible?: boolean | null
  children?: MenuEntry[] | null
}

/** The full path of a child: parent path plus child path. A child that already carries it is left alone. */
export function joinPath(parent: string, child: string): string {
  if (/^https?:\/\//.test(child)) return child
  const base = tidyPath(parent)
  if (child === '') return base
  const tail = tidyPath(child)
  if (base === '/' || tail === base || tail.startsWith(`${base}/`)) return tail
  return tail === '/' ? base : base + tail
}

function tidyPath(path: string): string {
  const joined = `/${path}`.replace(/\/{2,}/g, '/')
  return joined.length > 1 ? joined.replace(/\/$/, '') : joined
}

/** The codes of the third level. They are the user's roles. */
export function codesOf(tree: readonly MenuEntry[]): string[] {
  const codes = new Set<string>()
  for (const section of tree) {
    for (const screen of section.children ?? []) {
      for (const act of screen.children ?? []) if (act.code) codes.add(act.code)
    }
  }
  return [...codes]
}
