import { readFile } from 'node:fs/promises'
import { dismiss, row, search } from './support/list'
import { expect, test } from './support/test'
import { mended } from './support/workbook'

test.use({ company: 'import' })

const room = '上海演示机房（仿真）'

test('bad rows are downloaded as a file, mended, and imported alone', async ({ page, enter }) => {
  const lines = [
    '机房,内网 IP,ADB 端口,厂商,型号,板卡型号',
    `${room},10.77.0.1,5555,瑞芯,RK3588,RK_3588`,
    `${room},10.77.0.300,5555,瑞芯,RK3588,RK_3588`,
    `没有的机房,10.77.0.3,5555,瑞芯,RK3588,RK_3588`,
  ]
  await enter(undefined, 'zh', '/device/management')
  await page.getByRole('button', { name: '导入', exact: true }).click()
  const drawer = page.getByRole('dialog')
  await drawer.locator('input[type=file]').setInputFiles({
    name: '设备.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n')),
  })
  await expect(drawer.getByText('1 行可以导入，2 行有问题，将被跳过')).toBeVisible()
  const download = page.waitForEvent('download')
  await drawer.getByRole('button', { name: '下载问题行' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/\.xlsx$/)
  const bad = await readFile(await file.path())
  await drawer.getByRole('button', { name: '导入 1 行' }).click()
  await expect(page.getByRole('dialog').getByText(/新增 1 台/)).toBeVisible()
  await dismiss(page, page.getByRole('dialog'))

  await page.getByRole('button', { name: '导入', exact: true }).click()
  const again = page.getByRole('dialog')
  await again.locator('input[type=file]').setInputFiles({
    name: file.suggestedFilename(),
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: mended(bad, [
      ['10.77.0.300', '10.77.0.2'],
      ['没有的机房', room],
    ]),
  })
  await expect(again.getByText('全部 2 行都可以导入')).toBeVisible()
  await again.getByRole('button', { name: '导入 2 行' }).click()
  await expect(page.getByRole('dialog').getByText(/新增 2 台/)).toBeVisible()
  await dismiss(page, page.getByRole('dialog'))
  for (const address of ['10.77.0.1', '10.77.0.2', '10.77.0.3']) {
    await search(page, 'IP 或序列号', address)
    await expect(row(page, address)).toHaveCount(1)
  }
})
