import './kit.css'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Dropdown } from '@/ui/dropdown'
import { MoreIcon } from '@/ui/icons'
import { Tooltip } from '@/ui/tooltip'
import type { Action } from './action'
import { kitMessages } from './messages'
import { type ActionRunner, useAllowed } from './use-actions'

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
            items: hidden.map((act) => ({
              key: act.label,
              danger: act.isDanger,
              disabled: act.blocked !== undefined,
              label: (
                <>
                  {act.label}
                  {act.blocked && <div className="kit-reason">{act.blocked}</div>}
                </>
              ),
              onClick: () => runner.start(act, name),
            })),
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

/** Acts as buttons, for the head of a page and the selection bar. The first one that is not red may be the main one. */
export function ActionButtons(props: {
  acts: readonly Action[]
  runner: ActionRunner
  target?: string
  primary?: boolean
  size?: 'small' | 'medium'
}) {
  const acts = useAllowed(props.acts)
  return acts.map((act, at) => {
    const button = (
      <Button
        key={act.label}
        type={props.primary && at === 0 && !act.isDanger ? 'primary' : 'default'}
        danger={act.isDanger}
        disabled={act.blocked !== undefined}
        loading={props.runner.busy?.label === act.label}
        {...(props.size && { size: props.size })}
        onClick={() => props.runner.start(act, props.target)}
      >
        {act.label}
      </Button>
    )
    return act.blocked ? (
      <Tooltip key={act.label} title={act.blocked}>
        {button}
      </Tooltip>
    ) : (
      button
    )
  })
}
