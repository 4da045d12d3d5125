import { type ReactNode, useEffect, useState } from 'react'
import { useBlocker } from 'react-router'
import { useMessages } from '@/i18n/messages'
import { Modal } from '@/ui/modal'
import { kitMessages } from '../messages'

/** Asks before unsaved changes are lost: by closing, by going elsewhere, by closing the browser's tab. */
export function useLeaveQuestion(isDirty: () => boolean): { leave: (then: () => void) => void; question: ReactNode } {
  const m = useMessages(kitMessages)
  const [then, setThen] = useState<() => void>()
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && isDirty(),
  )

  // The browser's own question; no page may word it.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (isDirty()) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  })

  const isBlocked = blocker.state === 'blocked'
  const stay = () => {
    setThen(undefined)
    if (isBlocked) blocker.reset()
  }
  const go = () => {
    setThen(undefined)
    if (isBlocked) blocker.proceed()
    else then?.()
  }
  const question = (then || isBlocked) && (
    <Modal
      open
      centered
      width={400}
      title={m.unsaved}
      okText={m.leave}
      okButtonProps={{ danger: true }}
      cancelText={m.stay}
      onOk={go}
      onCancel={stay}
    >
      {m.unsavedHint}
    </Modal>
  )
  return { leave: (next) => (isDirty() ? setThen(() => next) : next()), question }
}
