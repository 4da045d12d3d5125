import { defineMessages } from '@/i18n/messages'

export const importMessages = defineMessages({
  drop: ['点击选择文件，或将文件拖到这里', 'Choose a file, or drop it here'],
  kinds: ['支持 XLSX 和 CSV，第一行为表头', 'XLSX or CSV; the first row names the columns'],
  columns: (names: string) => [`可用的列：${names}`, `Columns that can be used: ${names}`],
  checking: ['正在上传并检查…', 'Uploading and checking…'],
  other: ['换一个文件', 'Another file'],
  summary: (file: string, total: string) => [`${file}：共 ${total} 行`, `${file}: ${total} rows`],
  allGood: (good: string) => [`全部 ${good} 行都可以导入`, `All ${good} rows can be imported`],
  someBad: (good: string, bad: string) => [
    `${good} 行可以导入，${bad} 行有问题，将被跳过`,
    `${good} rows can be imported; ${bad} have problems and will be skipped`,
  ],
  noneGood: ['没有可以导入的行，请修正后重新上传', 'No row can be imported. Correct the file and upload it again'],
  run: (good: string) => [`导入 ${good} 行`, `Import ${good} rows`],
  badRows: ['有问题的行', 'Rows with problems'],
  badShown: (shown: string, all: string) => [
    `显示前 ${shown} 个问题，共 ${all} 行`,
    `The first ${shown} problems, of ${all} rows`,
  ],
  row: ['行号', 'Row'],
  field: ['列', 'Column'],
  value: ['内容', 'Content'],
  reason: ['原因', 'Reason'],
  sample: ['数据预览', 'First rows'],
})
