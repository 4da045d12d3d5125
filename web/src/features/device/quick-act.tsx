import { lazy, Suspense, useEffect, useRef } from 'react'
import { useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { inLanguage } from '@/i18n/messages'
import { useActions } from '@/kit/use-actions'
import { type ActedPlace, usePlaceActs } from './place-acts'
import type { QuickActOf } from './quick-acts'
import { ShellDrawer } from './shell/lazy-shell'

const Rack = lazy(() => import('./address/rack-form'))

interface QuickActProps {
  act: QuickActOf
  id: number
  title: string
  /** What it affects, in the words of the search. */
  target: string
  onClose: () => void
}

/** Begins an act on what quick search found: its question opens wherever the operator is. */
export default function QuickAct(props: QuickActProps) {
  const { act, id, title, onClose } = props
  if (act.name === 'shell') return <ShellDrawer card={id} name={title} onClose={onClose} />
  if (act.name === 'rack') {
    return (
      <Suspense>
        <Rack room={id} onClose={onClose} />
      </Suspense>
    )
  }
  return act.kind === 'frame' ? <OnFrame {...props} /> : <OnHost {...props} />
}

function OnFrame(props: QuickActProps) {
  const { data } = useApiQuery('frameList', { query: { frameId: props.id, pageNum: 1, pageSize: 1 } })
  const frame = data?.list[0]
  return frame ? <Asked {...props} place={{ ...frame, kind: 'frame' }} /> : null
}

function OnHost(props: QuickActProps) {
  const { data } = useApiQuery('hostGet', { path: { id: props.id } })
  return data ? <Asked {...props} place={{ ...data, kind: 'host' }} /> : null
}

function Asked({ act, target, place }: QuickActProps & { place: ActedPlace }) {
  const language = useLanguage()
  const { operations, maintenance, panel } = usePlaceActs()(place)
  const runner = useActions()
  const begun = useRef(false)
  const label = inLanguage(act.label, language)
  const found = act.name === 'panel' ? panel : [...operations, ...maintenance].find((each) => each.label === label)
  // The act was chosen before this was loaded: it begins as soon as its place is known, and once.
  useEffect(() => {
    if (begun.current || !found) return
    begun.current = true
    runner.start(found, target)
  })
  return runner.host
}
