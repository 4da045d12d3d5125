import './kit.css'
import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from 'react'
import { useCan } from '@/access/permissions'
import { notifySuccess } from '@/api/notices'
import { useMessages } from '@/i18n/messages'
import { type Action, taskIdOf } from './action'
import { kitMessages } from './messages'
import { TaskDrawer } from './task/lazy-drawer'

const ConfirmDialog = lazy(() => import('./confirm/confirm-dialog'))

/** Starts acts: asks first where it must, shows that one is under way, says when it is done, follows its task. */
export interface ActionRunner {
  /** `target` says what the action affects, where its own question does not. */
  start: (act: Action, target?: string) => void
  /** The action in progress, if any: nothing else can be started meanwhile. */
  busy: Action | undefined
  /** The dialogs; put it anywhere in the page. */
  host: ReactNode
}

interface Asking {
  act: Action
  target: string | undefined
}

export function useActions(onDone?: () => void): ActionRunner {
  const m = useMessages(kitMessages)
  const [asking, setAsking] = useState<Asking>()
  const [busy, setBusy] = useState<Action>()
  const [taskId, setTaskId] = useState<string>()
  const locked = useRef(false)

  const perform = useCallback(
    async (act: Action, body: unknown) => {
      // State comes too late to stop a second click in the same frame.
      if (locked.current) return
      locked.current = true
      setBusy(act)
      try {
        const answer = await act.run(body)
        const task = taskIdOf(answer)
        if (task) setTaskId(task)
        // An action that only opens something returns nothing, and needs no confirmation message.
        else if (answer !== undefined) notifySuccess(act.done ?? m.done)
        onDone?.()
      } finally {
        locked.current = false
        setBusy(undefined)
      }
    },
    [m, onDone],
  )

  const start = useCallback(
    (act: Action, target?: string) => {
      if (act.blocked) return
      if (act.isDanger || act.confirm || act.ask) setAsking({ act, target })
      // The failure was already shown by the call that failed.
      else void perform(act, undefined).catch(() => undefined)
    },
    [perform],
  )

  const host = (
    <>
      {asking && (
        <Suspense>
          <ConfirmDialog {...asking} perform={perform} onClose={() => setAsking(undefined)} />
        </Suspense>
      )}
      {taskId && <TaskDrawer id={taskId} onClose={() => setTaskId(undefined)} />}
    </>
  )
  return { start, busy, host }
}

/** The acts that this person may see. */
export function useAllowed(acts: readonly Action[]): readonly Action[] {
  const can = useCan()
  return acts.filter((act) => can(act.need))
}
