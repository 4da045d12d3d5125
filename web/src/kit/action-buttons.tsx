import './kit.css'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Dropdown, type MenuProps } from '@/ui/dropdown'
import { MoreIcon } from '@/ui/icons'
import { Tooltip } from '@/ui/tooltip'
import type { Action } from './action'
import { kitMessages } from './messages'
import { type ActionRunner, useAllowed } from './use-actions'

type MenuItems = NonNullable<MenuProps['items']>

/** The acts on one row: the first ones in view, the others behind a button. `name` says which row it is. */
export function RowActions(props: { acts: readonly Action[]; name: string; runner: ActionRunner; inView?: number }) {
  const m = useMessages(kitMessages)
  const { runner, name, inView = 2 } = props
  const acts = useAllowed(props.acts)
  // One hidden act would take as much room as the button that hides it.
  const cut = acts.length === inView + 1 ? acts.length : inView
  const hidden = acts.slice(cut)
  return (
    <span className="kit-row-acts">
      {acts.slice(0, cut).map((act) => (
        <ActionLink key={act.label} act={act} onStart={() => runner.start(act, name)} />
      ))}
      {hidden.length > 0 && (
        <Dropdown
          trigger={['click']}
          menu={{
            items: menuItems(hidden, (act) => runner.start(act, name)),
          }}
        >
          <button type="button" className="sky-icon-button" aria-label={m.moreOf(name)}>
            <MoreIcon aria-hidden />
          </button>
        </Dropdown>
      )}
    </span>
  )
}

function ActionLink({ act, onStart }: { act: Action; onStart: () => void }) {
  const button = (
    // Not `disabled`: a disabled button cannot be reached by keyboard, and then nobody hears why.
    <button
      type="button"
      className="sky-link"
      aria-disabled={act.blocked !== undefined}
      aria-description={act.blocked}
      data-danger={act.isDanger || undefined}
      onClick={onStart}
    >
      {act.label}
    </button>
  )
  return act.blocked ? <Tooltip title={act.blocked}>{button}</Tooltip> : button
}

/** What stands in a menu for acts that are not in view; a group is a menu in the menu. */
function menuItems(acts: readonly Action[], onStart: (act: Action) => void): MenuItems {
  return acts.flatMap((act): MenuItems => {
    if (act.group === undefined) return [menuItem(act, onStart)]
    const group = acts.filter((other) => other.group === act.group)
    if (group[0] !== act) return []
    return [{ key: act.group, label: act.group, children: group.map((each) => menuItem(each, onStart)) }]
  })
}

const menuItem = (act: Action, onStart: (act: Action) => void) => ({
  key: act.label,
  danger: act.isDanger,
  disabled: act.blocked !== undefined,
  label: (
    <>
      {act.label}
      {act.blocked && <div className="kit-reason">{act.blocked}</div>}
    </>
  ),
  onClick: () => onStart(act),
})

interface ActionButtonsProps {
  acts: readonly Action[]
  runner: ActionRunner
  target?: string
  primary?: boolean
  size?: 'small' | 'medium'
}

/**
 * Acts as buttons, for the head of a page and the selection bar. The first one that is not red may be the main one.
 * Those of a group are one button with a menu, where the first of them would stand; one alone stands there itself.
 */
export function ActionButtons(props: ActionButtonsProps) {
  const acts = useAllowed(props.acts)
  const size = props.size ? { size: props.size } : {}
  return acts.map((act, at) => {
    const group = acts.filter((other) => other.group === act.group)
    // A menu of one would be a press more for nothing.
    if (act.group === undefined || group.length === 1)
      return <ActionButton key={act.label} {...props} act={act} isFirst={at === 0} />
    if (group[0] !== act) return null
    return (
      <Dropdown
        key={act.group}
        trigger={['click']}
        menu={{ items: group.map((each) => menuItem(each, (chosen) => props.runner.start(chosen, props.target))) }}
      >
        <Button {...size} loading={group.some(({ label }) => props.runner.busy?.label === label)}>
          {act.group} ▾
        </Button>
      </Dropdown>
    )
  })
}

function ActionButton({ act, isFirst, ...props }: ActionButtonsProps & { act: Action; isFirst: boolean }) {
  const button = (
    <Button
      type={props.primary && isFirst && !act.isDanger ? 'primary' : 'default'}
      danger={act.isDanger}
      disabled={act.blocked !== undefined}
      loading={props.runner.busy?.label === act.label}
      {...(props.size && { size: props.size })}
      onClick={() => props.runner.start(act, props.target)}
    >
      {act.label}
    </Button>
  )
  return act.blocked ? <Tooltip title={act.blocked}>{button}</Tooltip> : button
}
