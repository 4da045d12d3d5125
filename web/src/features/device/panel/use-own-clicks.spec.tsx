import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { useOwnClicks } from './use-own-clicks'

const act = vi.fn()

function Opened() {
  return (
    <div {...useOwnClicks()}>
      <button type="button" onMouseDown={act} onClick={act} onDoubleClick={act}>
        act
      </button>
    </div>
  )
}

function Opener() {
  const [isOpen, open] = useState(false)
  return isOpen ? (
    <Opened />
  ) : (
    <button type="button" onClick={() => open(true)}>
      open
    </button>
  )
}

test('the second half of the double click that opened it acts on nothing, and the next click does', async () => {
  const user = userEvent.setup()
  render(<Opener />)
  await user.click(screen.getByText('open'))
  const button = screen.getByText('act')
  for (const type of ['mousedown', 'click', 'dblclick']) {
    button.dispatchEvent(new MouseEvent(type, { bubbles: true, detail: 2 }))
  }
  expect(act).not.toHaveBeenCalled()
  await user.dblClick(button)
  expect(act).toHaveBeenCalledTimes(5)
  act.mockClear()
  button.focus()
  await user.keyboard('{Enter}')
  expect(act).toHaveBeenCalledTimes(1)
})
