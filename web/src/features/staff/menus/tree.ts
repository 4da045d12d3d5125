import { joinPath } from '@/access/menu'
import type { RowOf } from '@/api/call'
import { menuKind } from './choices'

/** A menu entry as the server lists it: in its level's order. */
export type MenuEntry = RowOf<'menuList'>

/** An entry with what lies below it. */
export interface MenuNode {
  entry: MenuEntry
  /** The whole address that its page has; empty for a button. */
  fullPath: string
  children: MenuNode[]
}

/** Hangs the entries below each other. */
export function treeOf(entries: readonly MenuEntry[], parent?: MenuNode): MenuNode[] {
  return entries
    .filter(({ parentId }) => (parentId ?? undefined) === parent?.entry.id)
    .map((entry) => {
      const isButton = entry.kind === menuKind.value.button
      const fullPath = isButton ? '' : joinPath(parent?.fullPath ?? '/', entry.path)
      const node: MenuNode = { entry, fullPath, children: [] }
      node.children = treeOf(entries, node)
      return node
    })
}

/** The matching nodes, and those above them. */
export function pruned(nodes: readonly MenuNode[], isWanted: (node: MenuNode) => boolean): MenuNode[] {
  return nodes.flatMap((node) => {
    const children = pruned(node.children, isWanted)
    return isWanted(node) || children.length > 0 ? [{ ...node, children }] : []
  })
}

/** What is drawn: each node with its depth, those below a closed one left out. */
export function rowsOf(
  nodes: readonly MenuNode[],
  isOpen: (node: MenuNode) => boolean,
  depth = 0,
): { node: MenuNode; depth: number; isOpen: boolean }[] {
  return nodes.flatMap((node) => {
    const open = node.children.length > 0 && isOpen(node)
    return [{ node, depth, isOpen: open }, ...(open ? rowsOf(node.children, isOpen, depth + 1) : [])]
  })
}

/** Room between neighbours, as the server leaves it. */
const sortStep = 10

/**
 * The new sort numbers when an entry changes places with its neighbour. The numbers of the level stay, unless two are the
 * same: then the level is numbered anew. Empty where there is no neighbour.
 */
export function shifted(
  siblings: readonly MenuEntry[],
  id: number,
  step: -1 | 1,
): { entry: MenuEntry; sort: number }[] {
  const at = siblings.findIndex((sibling) => sibling.id === id)
  const moved = siblings[at]
  const other = siblings[at + step]
  if (!moved || !other) return []
  const order = siblings.map((sibling) => (sibling === moved ? other : sibling === other ? moved : sibling))
  const numbers = siblings.map(({ sort }) => sort)
  const isStrict = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))
  return order
    .map((entry, index) => ({ entry, sort: isStrict ? (numbers[index] ?? 0) : index * sortStep }))
    .filter(({ entry, sort }) => entry.sort !== sort)
}
