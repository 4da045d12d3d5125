import type { RowOf } from '@/api/call'
import { notifyError, notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { storeState } from '../choices'
import { messages } from './messages'

type Node = RowOf<'storeNodeList'>

const refresh = ['storeNodeList', 'storeNodeGet', 'storeNodeUsage'] as const

/** What may be done to a node. */
export function useNodeActs({ onEdit }: { onEdit: (node: Node) => void }) {
  const m = useMessages(messages)
  const test = useApiMutation('storeNodeTest', { refresh })
  const drain = useApiMutation('storeNodeDrain', { refresh })
  const resume = useApiMutation('storeNodeResume', { refresh })
  const retire = useApiMutation('storeNodeRetire', { refresh })
  const remove = useApiMutation('storeNodeDelete', { refresh })

  return ({ id, name, ...node }: Node) => {
    const path = { id }
    const isRetired = node.state === storeState.value.retired
    const isDraining = node.state === storeState.value.draining
    const blocked = isRetired ? m.isRetired : undefined
    return [
      action(m.test, {
        need: 'storage:test',
        confirm: m.testQuestion,
        blocked,
        // What was found is said by the node itself.
        run: async () => {
          const { trouble } = await test.mutateAsync({ path })
          if (trouble) notifyError(m.testFailed(name, trouble))
          else notifySuccess(m.tested(name))
        },
      }),
      action(m.edit, { need: 'storage:update', blocked, run: () => onEdit({ id, name, ...node }) }),
      isDraining
        ? action(m.resume, { need: 'storage:drain', run: () => resume.mutateAsync({ path }) })
        : danger(m.drain, {
            need: 'storage:drain',
            confirm: m.drainQuestion,
            blocked,
            run: () => drain.mutateAsync({ path }),
          }),
      danger(m.retire, {
        need: 'storage:retire',
        confirm: m.retireQuestion,
        blocked: blocked ?? (isDraining ? undefined : m.notDrained),
        run: () => retire.mutateAsync({ path }),
      }),
      danger(m.remove, {
        need: 'storage:delete',
        confirm: m.removeQuestion,
        run: () => remove.mutateAsync({ path }),
      }),
    ]
  }
}
