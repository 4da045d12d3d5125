import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '@/api/call'
import { choiceParam, defineFilter, readState, textParam, writeState } from '@/kit/list/filter'
import type { List } from '@/kit/list/use-list'
import { useLook } from '@/kit/list/use-look'
import { menuKind, menuOrigin, menuVisibility } from './choices'
import { type MenuEntry, type MenuNode, pruned, rowsOf, treeOf } from './tree'

const filter = defineFilter({
  keyWord: textParam(),
  visible: choiceParam(menuVisibility),
  builtin: choiceParam(menuOrigin),
})

/** One line of the tree. */
export interface MenuRow extends MenuEntry {
  node: MenuNode
  fullPath: string
  depth: number
  isOpen: boolean
  toggle: () => void
}

const pageSize = 500

/** Every entry: the tree is drawn as a whole. */
async function allEntries(signal: AbortSignal): Promise<MenuEntry[]> {
  const entries: MenuEntry[] = []
  for (let pageNum = 1; ; pageNum += 1) {
    const page = await call('menuList', { query: { pageNum, pageSize } }, { signal, suppressNotice: true })
    entries.push(...page.list)
    if (page.list.length === 0 || entries.length >= page.total) return entries
  }
}

/** The menu as a list of lines, to be narrowed by the address and opened and closed here. */
export function useMenuTree() {
  const [search, setSearch, look] = useLook('menuList', filter)
  const state = readState(filter, search)
  const query = useQuery({ queryKey: ['menuList', 'all'], queryFn: ({ signal }) => allEntries(signal) })
  // Sections start open, pages closed; this holds the ones that were toggled.
  const [turned, setTurned] = useState<ReadonlySet<number>>(new Set())
  const tree = treeOf(query.data ?? [])
  const isFiltered = Object.keys(state.filter).length > 0
  const isOpen = ({ entry }: MenuNode) => isFiltered || (entry.kind === menuKind.value.section) !== turned.has(entry.id)

  function toggle(id: number) {
    const next = new Set(turned)
    if (!next.delete(id)) next.add(id)
    setTurned(next)
  }

  const wanted = (state.filter.keyWord ?? '').toLowerCase()
  const shown = pruned(tree, ({ entry, fullPath }) => {
    const { title, name, code, visible, builtin } = entry
    return (
      [title, name, code, fullPath].join('\n').toLowerCase().includes(wanted) &&
      visible === (state.filter.visible ?? visible) &&
      builtin === (state.filter.builtin ?? builtin)
    )
  })
  const rows = rowsOf(shown, isOpen).map(
    ({ node, depth, isOpen }): MenuRow => ({
      ...node.entry,
      node,
      fullPath: node.fullPath,
      depth,
      isOpen,
      toggle: () => toggle(node.entry.id),
    }),
  )
  const change = (next: typeof state) =>
    setSearch((now) => writeState(filter, next, now), { replace: true, preventScrollReset: true })
  const list: List<MenuRow> = {
    ...state,
    operation: 'menuList',
    rows,
    total: rows.length,
    isWhole: true,
    isLoading: query.isPending,
    isFetching: query.isFetching,
    error: query.error,
    sorts: [],
    isFiltered,
    request: state.filter,
    setFilter: (values) => change({ ...state, filter: { ...state.filter, ...values } }),
    clearFilter: () => change({ ...state, filter: {} }),
    setPage: () => undefined,
    toggleSort: () => undefined,
    look,
    reload: () => void query.refetch(),
  }
  const screens = tree.flatMap(({ children }) => children)
  const isAllOpen = [...tree, ...screens].every((node) => node.children.length === 0 || isOpen(node))
  return {
    list,
    tree,
    screens,
    isAllOpen,
    /** Opens everything, or closes everything. */
    toggleAll: () => setTurned(new Set((isAllOpen ? tree : screens).map(({ entry }) => entry.id))),
  }
}
