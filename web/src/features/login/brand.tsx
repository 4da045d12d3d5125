import { useMessages } from '@/i18n/messages'
import { Logo } from '@/ui/logo'
import { StateChip } from '@/ui/state-chip'
import type { State } from '@/ui/states'
import { messages } from './messages'

/** One host's cards. Fixed, so that the picture is the same for everybody. */
const host: readonly State[] = [
  ...(['inUse', 'inUse', 'idle', 'inUse', 'fault', 'idle'] as const),
  ...(['inUse', 'upgrading', 'maintenance', 'offline', 'idle', 'unknown'] as const),
]
const legend = ['idle', 'inUse', 'maintenance', 'fault', 'upgrading', 'offline', 'unknown'] as const

/** What a newcomer may know beforehand: the colours and signs that the whole console uses. */
export function Brand() {
  const m = useMessages(messages)
  return (
    <aside className="login-brand">
      <header>
        <Logo />
        <p>{m.tagline}</p>
      </header>
      <section>
        <h2>{m.legend}</h2>
        <p>{m.legendHint}</p>
        <div className="login-host" aria-hidden>
          {host.map((state, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fixed drawing
            <StateChip key={at} state={state} />
          ))}
        </div>
        <ul className="login-legend">
          {legend.map((state) => (
            <li key={state}>
              <StateChip state={state} />
              <b>{m.states[state].name}</b> <span>{m.states[state].about}</span>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  )
}
