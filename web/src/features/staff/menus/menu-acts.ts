import { useNavigate } from 'react-router'
import { currentRoutes, loadAccess } from '@/access/access'
import { allPages, routeAt } from '@/access/routes'
import type { OperationId } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action, danger } from '@/kit/action'
import { menuKind } from './choices'
import { valuesOf } from './form-values'
import { messages } from './messages'
import { type MenuEntry, type MenuNode, shifted } from './tree'

/** What shows menu entries. */
export const stale: readonly OperationId[] = ['menuList', 'permissionList', 'groupRightsGet', 'groupCompare']

/** Draws the sidebar of the person anew, and follows this very page when it is what was moved. */
export function useReloadMenu() {
  const navigate = useNavigate()
  const reload = async () => {
    await loadAccess()
    const routes = currentRoutes()
    const here = allPages(routes).find(({ route }) => route.screen?.code === 'menus')
    if (here && !routeAt(routes, window.location.pathname)) await navigate(here.route.path, { replace: true })
  }
  // A refusal has been shown by the call.
  return () => void reload().catch(() => undefined)
}

/** What may be done to an entry besides editing it. */
export function useMenuActs() {
  const m = useMessages(messages)
  const reloadMenu = useReloadMenu()
  const update = useApiMutation('menuUpdate', { refresh: stale })
  const setVisible = useApiMutation('menuSetVisible', { refresh: stale })
  const remove = useApiMutation('menuDelete', { refresh: stale })

  async function shift(siblings: readonly MenuEntry[], id: number, step: -1 | 1) {
    for (const { entry, sort } of shifted(siblings, id, step)) {
      await update.mutateAsync({ path: { id: entry.id }, body: { ...valuesOf(entry), sort } })
    }
    reloadMenu()
    return {}
  }

  const turn = async (id: number, visible: boolean) => {
    await setVisible.mutateAsync({ path: { id }, body: { visible } })
    reloadMenu()
    return {}
  }

  const visibility = ({ id, visible }: MenuEntry) =>
    visible
      ? action(m.hide, { need: 'menu:update', confirm: m.hideQuestion, run: () => turn(id, false) })
      : action(m.show, { need: 'menu:update', run: () => turn(id, true) })

  return ({ entry, children }: MenuNode, siblings: readonly MenuEntry[]): Action[] => {
    const { id, builtin, kind } = entry
    return [
      action(m.up, {
        need: 'menu:update',
        blocked: siblings[0]?.id === id ? m.isFirst : undefined,
        run: () => shift(siblings, id, -1),
      }),
      action(m.down, {
        need: 'menu:update',
        blocked: siblings.at(-1)?.id === id ? m.isLast : undefined,
        run: () => shift(siblings, id, 1),
      }),
      ...(kind === menuKind.value.button ? [] : [visibility(entry)]),
      danger(m.remove, {
        need: 'menu:delete',
        blocked: builtin ? m.isBuiltin : children.length > 0 ? m.hasChildren : undefined,
        confirm: m.removeQuestion,
        run: async () => {
          await remove.mutateAsync({ path: { id } })
          reloadMenu()
          return {}
        },
      }),
    ]
  }
}
