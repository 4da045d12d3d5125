/** What is called `name` in a folder of a card; without a name, the folder with a slash at its end. */
export const inside = (folder: string, name: string): string => `${folder.replace(/\/+$/, '')}/${name}`

/** The folders on the way to a path, each with its own path: `/a/b` gives `/a` and `/a/b`. */
export function partsOf(path: string): { name: string; path: string }[] {
  const names = path.split('/').filter(Boolean)
  return names.map((name, at) => ({ name, path: `/${names.slice(0, at + 1).join('/')}` }))
}
