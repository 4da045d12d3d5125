import type { DataOf, RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { messages } from './messages'

type App = RowOf<'openAppList'>
export type MadeKey = DataOf<'openKeyCreate'>

const refresh = ['openAppList', 'openAppGet'] as const
/** Keys that may live at a time. */
const mostKeys = 2

/** What may be done to an application. */
export function useAppActs({ onEdit, onKey }: { onEdit: (app: App) => void; onKey: (key: MadeKey) => void }) {
  const m = useMessages(messages)
  const setEnabled = useApiMutation('openAppSetEnabled', { refresh })
  const remove = useApiMutation('openAppDelete', { refresh })
  const makeKey = useApiMutation('openKeyCreate', { refresh })
  const dropKey = useApiMutation('openKeyRevoke', { refresh })

  return (app: App) => {
    const path = { id: app.id }
    return [
      action(m.newKey, {
        need: 'openApp:newKey',
        confirm: m.newKeyQuestion,
        blocked: app.keys.length < mostKeys ? undefined : m.twoKeys,
        run: async () => {
          onKey(await makeKey.mutateAsync({ path }))
          // The secret is in its dialog alone, and goes with that.
          makeKey.reset()
        },
      }),
      action(m.edit, { need: 'openApp:update', run: () => onEdit(app) }),
      app.enabled
        ? danger(m.disable, {
            need: 'openApp:update',
            confirm: m.disableQuestion,
            run: () => setEnabled.mutateAsync({ path, body: { enabled: false } }),
          })
        : action(m.enable, {
            need: 'openApp:update',
            confirm: m.enableQuestion,
            run: () => setEnabled.mutateAsync({ path, body: { enabled: true } }),
          }),
      ...app.keys.map(({ id, code }) =>
        danger(m.dropKey(code), {
          need: 'openApp:dropKey',
          confirm: m.dropKeyQuestion,
          run: () => dropKey.mutateAsync({ path: { id: app.id, key: id } }),
        }),
      ),
      danger(m.remove, {
        need: 'openApp:delete',
        confirm: m.removeQuestion,
        run: () => remove.mutateAsync({ path }),
      }),
    ]
  }
}
