import type { CallParts } from '@/api/call'
import type { MenuEntry, MenuNode } from './tree'

export type MenuInput = CallParts<'menuCreate'>['body']

/** What the server takes of an entry. */
export const valuesOf = ({ parentId, name, path, icon, code, sort, visible }: MenuEntry): MenuInput => ({
  ...(parentId && { parentId }),
  name,
  path,
  icon,
  code,
  sort,
  visible,
})

/** What a new entry begins with. */
export const blankBelow = (parent: MenuNode | undefined): Partial<MenuInput> => ({
  ...(parent && { parentId: parent.entry.id }),
  visible: true,
})
