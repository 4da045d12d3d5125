import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { show } from '@/testing/render'
import { AgentFooter } from './agent-footer'

const at = '2026-11-20T02:00:00.000Z'

it('says when a room was last heard of, and leads to its agents', async () => {
  setLanguage('en')
  show(<AgentFooter room={{ id: 3, heard: { at, usable: 1 } }} />)
  expect(await screen.findByRole('link', { name: 'Show agents' })).toHaveAttribute(
    'href',
    '/device/address?tab=agents&roomId=3',
  )
  expect(screen.getByText(/^Last report 2026-11-20 /)).toBeVisible()
})

it('leads to a join token where there is no agent that could connect', async () => {
  setLanguage('zh')
  show(<AgentFooter room={{ id: 3, heard: { at, usable: 0 } }} />)
  expect(await screen.findByRole('link', { name: '接入代理' })).toHaveAttribute(
    'href',
    '/device/address?tab=tokens&roomId=3',
  )
})

it('tells nothing of agents to who may not see them', async () => {
  setLanguage('en')
  show(<AgentFooter room={{ id: 3, heard: null }} />)
  expect(await screen.findByText(/^No agent is connected/)).toBeVisible()
  expect(screen.queryByRole('link')).toBeNull()
})
