import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { useCan } from '@/access/permissions'
import { type Messages, useMessages } from '@/i18n/messages'
import { Drawer } from '@/ui/drawer'
import { Tabs } from '@/ui/tabs'
import type { Action } from '../action'
import { ActionButtons } from '../action-buttons'
import { type FieldTexts, Labels } from '../labels'
import { partName } from '../list/detail-link'
import { Loaded, type Loading } from '../loaded'
import { kitMessages } from '../messages'
import { useActions } from '../use-actions'
import { BesidePanel } from './beside-panel'
import { useBeside } from './detail-place'
import { HISTORY_NEED, History, historyMessages, type Logged } from './history'

/** One part of a detail. It is built when it is first looked at. */
export interface DetailTab {
  key: string
  label: string
  content: ReactNode
}

interface DetailDrawerProps<T> {
  messages: Messages<FieldTexts>
  query: Loading<T>
  title: (thing: T) => ReactNode
  /** Stands beside the title: the state of the thing. */
  status?: (thing: T) => ReactNode
  /** How questions call the thing. */
  name: (thing: T) => string
  actions?: (thing: T) => readonly Action[]
  /** What stands above the parts, whichever is shown. */
  head?: (thing: T) => ReactNode
  tabs: (thing: T) => readonly DetailTab[]
  /** What the operation log calls the thing: adds its history for those who may read the log. */
  logged?: (thing: T) => Logged
  onClose: () => void
}

/** The shell of every detail: title, state, acts, and the parts as tabs. Over the list, or beside it where that has room. */
export function DetailDrawer<T>(props: DetailDrawerProps<T>) {
  const m = useMessages(kitMessages)
  const { title: history } = useMessages(historyMessages)
  const mayReadLog = useCan()(HISTORY_NEED)
  const { query, logged, onClose } = props
  const runner = useActions()
  const walk = useBeside()
  const [part, setPart] = usePart()
  const thing = query.data
  const tabsOf = (thing: T): readonly DetailTab[] =>
    logged && mayReadLog
      ? [...props.tabs(thing), { key: 'log', label: history, content: <History of={logged(thing)} /> }]
      : props.tabs(thing)
  const title = thing ? (
    <span className="kit-detail-title">
      {props.title(thing)}
      {props.status?.(thing)}
    </span>
  ) : (
    m.loading
  )
  const extra = thing && props.actions && (
    <span className="kit-tools">
      <ActionButtons acts={props.actions(thing)} runner={runner} target={props.name(thing)} />
    </span>
  )
  const content = (
    <Labels messages={props.messages}>
      <Loaded query={query}>
        {(thing) => {
          const tabs = tabsOf(thing)
          return (
            <>
              {props.head?.(thing)}
              <Tabs
                className="kit-tabs"
                // Nine parts stand beside each other in the width of a drawer.
                tabBarGutter={16}
                items={tabs.map(({ content, ...tab }) => ({ ...tab, children: content }))}
                activeKey={(tabs.find(({ key }) => key === part) ?? tabs[0])?.key ?? ''}
                onChange={setPart}
              />
            </>
          )
        }}
      </Loaded>
      {runner.host}
    </Labels>
  )
  const shell = { title, extra, onClose }
  return walk ? (
    <BesidePanel {...shell} walk={walk}>
      {content}
    </BesidePanel>
  ) : (
    <Drawer {...shell} open size={720}>
      {content}
    </Drawer>
  )
}

/** Which part is shown, as the address says: a link may lead to it, and who walks the list sees the same part of each. */
function usePart(): [string | null, (part: string) => void] {
  const [search, setSearch] = useSearchParams()
  const set = (part: string) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        next.set(partName, part)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  return [search.get(partName), set]
}
