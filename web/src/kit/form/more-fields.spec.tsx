import { screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineMessages } from '@/i18n/messages'
import { required } from '@/rules/texts'
import { inFuture } from '@/rules/times'
import { show } from '@/testing/render'
import { FormDrawer } from './form-drawer'
import { KeyValueField } from './key-value-field'
import { MoneyField } from './money-field'
import { TimeRangeField } from './time-range-field'
import { useForm } from './use-form'

const messages = defineMessages({
  fields: { price: ['价格', 'Price'], period: ['有效期', 'Period'], pairs: ['参数', 'Parameters'] },
})
const save = vi.fn()
beforeEach(() => save.mockReset().mockResolvedValue({}))

function AForm({ of = {}, children }: { of?: Record<string, unknown>; children: ReactNode }) {
  const form = useForm<Record<string, unknown>>({ defaultValues: of })
  return (
    <FormDrawer form={form} save={save} title="x" messages={messages} onClose={() => undefined}>
      {children}
    </FormDrawer>
  )
}

const send = () => screen.getByRole('button', { name: /保存/ })

it('an amount is typed in yuan, read with separators, and sent in fen', async () => {
  const { user } = show(
    <AForm of={{ price: 123_456_700 }}>
      <MoneyField name="price" rules={[required]} max={1_000_000_000} />
    </AForm>,
  )
  const input = await screen.findByRole('textbox', { name: '价格' })
  // The first field has the focus; separators stand only in what is not being typed.
  await user.tab()
  expect(input).toHaveValue('1,234,567.00')
  await user.clear(input)
  await user.type(input, '2,000.5')
  expect(input).toHaveValue('2,000.5')
  await user.tab()
  expect(input).toHaveValue('2,000.50')
  await user.click(send())
  await waitFor(() => expect(save).toHaveBeenCalledWith({ price: 200_050 }))
})

it('what is no amount stays as it was typed, and is not sent', async () => {
  const { user } = show(
    <AForm>
      <MoneyField name="price" />
    </AForm>,
  )
  const input = await screen.findByRole('textbox', { name: '价格' })
  await user.type(input, '1.005')
  await user.tab()
  expect(await screen.findByText('最多 2 位小数')).toBeInTheDocument()
  expect(input).toHaveValue('1.005')
  expect(input).toHaveAccessibleDescription('最多 2 位小数')
  await user.click(send())
  await user.clear(input)
  await user.type(input, '0')
  await user.tab()
  expect(await screen.findByText('须在 0.01 到 1000000.00 之间')).toBeInTheDocument()
  expect(save).not.toHaveBeenCalled()
})

const period = { startTime: '2099-01-01T00:00:00.000Z', endTime: '2099-02-01T00:00:00.000Z' }

it.each([
  ['不能为空，请填写', {}],
  ['不能为空，请填写', { startTime: period.startTime }],
  ['所选时间须晚于当前时间', { ...period, startTime: '2020-01-01T00:00:00.000Z' }],
])('says once what is wrong with a span of time: %s', async (message, of) => {
  const { user } = show(
    <AForm of={of}>
      <TimeRangeField name="period" rules={[required, inFuture]} />
    </AForm>,
  )
  expect(await screen.findByRole('textbox', { name: '有效期' })).toBeInTheDocument()
  expect(screen.getByPlaceholderText('结束时间')).toBeInTheDocument()
  await user.click(send())
  expect(await screen.findByText(message)).toBeInTheDocument()
  expect(save).not.toHaveBeenCalled()
})

it('sends both ends of a span of time', async () => {
  const { user } = show(
    <AForm of={period}>
      <TimeRangeField name="period" rules={[required, inFuture]} />
    </AForm>,
  )
  await user.click(await screen.findByRole('button', { name: /保存/ }))
  await waitFor(() => expect(save).toHaveBeenCalledWith(period))
})

it('an end before the start is refused where the picker did not put them in order', async () => {
  const of = { startTime: '2099-02-01T00:00:00.000Z', endTime: '2099-01-01T00:00:00.000Z' }
  const { user } = show(
    <AForm of={of}>
      <TimeRangeField name="period" />
    </AForm>,
  )
  await screen.findByRole('group', { name: '有效期' })
  await user.click(send())
  expect(await screen.findByText('结束时间不能早于开始时间')).toBeInTheDocument()
})

it('keys with values are added, named and removed; a key is there once', async () => {
  const { user } = show(
    <AForm of={{ pairs: [{ key: 'lang', value: 'zh' }] }}>
      <KeyValueField name="pairs" most={3} />
    </AForm>,
  )
  await user.click(await screen.findByRole('button', { name: '添加参数（1/3）' }))
  await user.click(send())
  expect(await screen.findByText('参数名不能为空')).toBeInTheDocument()
  const second = screen.getByRole('textbox', { name: '第 2 行的参数名' })
  await user.type(second, 'lang')
  await user.tab()
  expect(await screen.findByText('参数名 lang 重复，请修改')).toBeInTheDocument()
  expect(second).toHaveAttribute('aria-invalid', 'true')
  await user.type(second, '2')
  await user.type(screen.getByRole('textbox', { name: '第 2 行的参数值' }), 'en')
  await user.click(screen.getByRole('button', { name: '添加参数（2/3）' }))
  expect(screen.getByRole('button', { name: '添加参数（3/3）' })).toBeDisabled()
  await user.click(screen.getByRole('button', { name: '删除第 3 行' }))
  await user.click(screen.getByRole('button', { name: '删除第 1 行' }))
  await user.click(send())
  await waitFor(() => expect(save).toHaveBeenCalledWith({ pairs: [{ key: 'lang2', value: 'en' }] }))
})
