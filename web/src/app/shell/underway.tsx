import { useEffect, useState } from 'react'
import { useNavigation } from 'react-router'
import { useMessages } from '@/i18n/messages'
import { messages } from '../messages'

/** Milliseconds after which somebody who sees no page coming wants to hear that it does. */
const patience = 1_000

/** Says that the page that was asked for is on its way, if that takes long enough to be noticed. */
export function Underway() {
  const m = useMessages(messages)
  const isUnderway = useNavigation().state !== 'idle'
  const [isLong, setLong] = useState(false)
  if (isLong && !isUnderway) setLong(false)

  // Time passes outside React.
  useEffect(() => {
    if (!isUnderway) return
    const timer = setTimeout(() => setLong(true), patience)
    return () => clearTimeout(timer)
  }, [isUnderway])

  return (
    <>
      {isUnderway && <div className="shell-underway" aria-hidden />}
      {/* It is there before it has something to say: a screen reader hears what changes in it. */}
      <div role="status" className="visually-hidden">
        {isLong && m.loading}
      </div>
    </>
  )
}
