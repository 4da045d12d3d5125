import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { usualColumns, usualDensity } from '@/kit/list/look'
import type { ListLook } from '@/kit/list/use-look'
import { ViewBar } from '@/kit/list/view-bar'
import { PartTabs } from '@/kit/part-tabs'
import { useActions } from '@/kit/use-actions'
import { messages } from './messages'

const still = () => undefined

/** How a list without an address looks: its view changes, and nothing else. */
export function useStillLook(): ListLook {
  const m = useMessages(messages)
  const [view, setView] = useState<string | undefined>(m.sample(1))
  return {
    columns: usualColumns,
    density: usualDensity,
    setColumns: still,
    setDensity: still,
    view,
    text: view ?? '',
    textOf: ({ search }) => search,
    filterOf: () => ({}),
    show: (next) => setView(next?.name),
    name: setView,
    link: () => '',
  }
}

/** A list that was opened by the link of somebody else: his view can be kept, and others saved. */
export function Views() {
  const runner = useActions()
  const look = useStillLook()
  return (
    <>
      <div className="kit-head">
        <ViewBar operation="preview" look={look} runner={runner} />
      </div>
      {runner.host}
    </>
  )
}

function Words() {
  return <p className="sky-soft">{useMessages(messages).longText}</p>
}

const tabParts = {
  views: { need: 'clientUser:list', Part: Words },
  lists: { need: 'phone:list', Part: Words },
} as const

/** The parts of a page as tabs. */
export function Parts() {
  const { views, lists } = useMessages(messages).parts
  return <PartTabs parts={tabParts} labels={{ views, lists }} />
}
