import { usePreference } from '@/access/preferences'

/** A way to look at a list that somebody saved under a name. */
export interface View {
  name: string
  /** Its rows and columns, as an address has them (`viewText`). */
  search: string
}

/** The saved views of one list. */
export interface SavedViews {
  list: readonly View[]
  /** The name of the view that the list opens with. */
  first?: string | undefined
}

export const noViews: SavedViews = { list: [] }
/** More are no help to anybody. */
export const mostViews = 20
export const longestName = 24

export const viewsKey = (operation: string) => `${operation}.views`

/** The views that this person saved for a list, in this browser. */
export function useSavedViews(operation: string) {
  const [saved, keep] = usePreference<SavedViews>(viewsKey(operation), noViews)
  const without = (name: string) => saved.list.filter((view) => view.name !== name)
  return {
    ...saved,
    /** Saves a view, or what changed of one; a new one stands last. */
    save: (view: View) => {
      const at = saved.list.findIndex(({ name }) => name === view.name)
      keep({ ...saved, list: at < 0 ? [...saved.list, view] : saved.list.with(at, view) })
    },
    rename: (name: string, next: string) =>
      keep({
        list: saved.list.map((view) => (view.name === name ? { ...view, name: next } : view)),
        first: saved.first === name ? next : saved.first,
      }),
    remove: (name: string) => keep({ list: without(name), first: saved.first === name ? undefined : saved.first }),
    /** The list opens with this view from now on; without a name, with everything. */
    openWith: (name: string | undefined) => keep({ ...saved, first: name }),
  }
}

export type ViewStore = ReturnType<typeof useSavedViews>
