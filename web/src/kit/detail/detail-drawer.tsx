import type { ReactNode } from 'react'
import { type Messages, useMessages } from '@/i18n/messages'
import { Drawer } from '@/ui/drawer'
import { Tabs } from '@/ui/tabs'
import type { Action } from '../action'
import { ActionButtons } from '../action-buttons'
import { type FieldTexts, Labels } from '../labels'
import { Loaded, type Loading } from '../loaded'
import { kitMessages } from '../messages'
import { useActions } from '../use-actions'

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
  tabs: (thing: T) => readonly DetailTab[]
  onClose: () => void
}

/** The shell of every detail: title, state, acts, and the parts as tabs. */
export function DetailDrawer<T>(props: DetailDrawerProps<T>) {
  const m = useMessages(kitMessages)
  const { query } = props
  const runner = useActions()
  const thing = query.data
  return (
    <Drawer
      open
      size={720}
      title={
        thing ? (
          <span className="kit-detail-title">
            {props.title(thing)}
            {props.status?.(thing)}
          </span>
        ) : (
          m.loading
        )
      }
      extra={
        thing &&
        props.actions && (
          <span className="kit-tools">
            <ActionButtons acts={props.actions(thing)} runner={runner} target={props.name(thing)} />
          </span>
        )
      }
      onClose={props.onClose}
    >
      <Labels messages={props.messages}>
        <Loaded query={query}>
          {(thing) => (
            <Tabs
              className="kit-tabs"
              items={props.tabs(thing).map(({ content, ...tab }) => ({ ...tab, children: content }))}
            />
          )}
        </Loaded>
        {runner.host}
      </Labels>
    </Drawer>
  )
}
