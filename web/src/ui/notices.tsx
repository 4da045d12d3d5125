import { useEffect } from 'react'
import { create } from 'zustand'
import { CloseIcon, toneIcon } from './icons'
import type { Tone } from './tone'

/** One message that appears, stays a moment and disappears. */
export interface Notice {
  tone: Tone
  title: string
  text?: string
  /** Milliseconds on screen; the specification's 5000 unless told otherwise. */
  duration?: number
}

interface Shown extends Notice {
  id: number
}

const noticeTime = 5_000
/** More than this at once nobody reads; the oldest is removed. */
const mostAtOnce = 4

const store = create<{ shown: Shown[] }>(() => ({ shown: [] }))
let last = 0

function drop(id: number) {
  store.setState(({ shown }) => ({ shown: shown.filter((notice) => notice.id !== id) }))
}

/** Shows a notice. The same words twice are shown once. */
export function notify(notice: Notice) {
  last += 1
  const id = last
  store.setState(({ shown }) => ({
    shown: [...shown.filter((old) => old.title !== notice.title || old.text !== notice.text), { ...notice, id }].slice(
      -mostAtOnce,
    ),
  }))
}

function NoticeCard({ notice, closeLabel }: { notice: Shown; closeLabel: string }) {
  const { id, duration = noticeTime } = notice
  useEffect(() => {
    const timer = setTimeout(() => drop(id), duration)
    return () => clearTimeout(timer)
  }, [id, duration])
  const Icon = toneIcon[notice.tone]
  const interrupts = notice.tone === 'bad' || notice.tone === 'warn'
  return (
    <div className={`sky-notice sky-tone-${notice.tone}`} role={interrupts ? 'alert' : 'status'}>
      <Icon className="sky-notice-icon" aria-hidden />
      <div className="sky-notice-body">
        <strong>{notice.title}</strong>
        {notice.text && <div>{notice.text}</div>}
      </div>
      <button type="button" className="sky-icon-button" aria-label={closeLabel} onClick={() => drop(id)}>
        <CloseIcon aria-hidden />
      </button>
    </div>
  )
}

/** The corner where notices appear. Mounted once, by `UiProvider`. */
export function Notices({ closeLabel }: { closeLabel: string }) {
  const shown = store((state) => state.shown)
  return (
    <div className="sky-notices">
      {shown.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} closeLabel={closeLabel} />
      ))}
    </div>
  )
}
