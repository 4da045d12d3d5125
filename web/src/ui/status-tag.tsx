import type { ReactNode } from 'react'
import { toneIcon } from './icons'
import type { Tone } from './tone'

/** A state as a small label: colour, icon and word say the same. */
export function StatusTag({ tone, children }: { tone: Tone; children: ReactNode }) {
  const Icon = toneIcon[tone]
  return (
    <span className={`sky-tag sky-tone-${tone}`}>
      <Icon aria-hidden />
      {children}
    </span>
  )
}
