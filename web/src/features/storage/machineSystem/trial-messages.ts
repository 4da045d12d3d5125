import { defineMessages } from '@/i18n/messages'

/** What only a board can show, and what came of it. */
export const trialMessages = defineMessages({
  of: (image: string) => [`实机试验：${image}`, `Tried on the board: ${image}`],
  hint: [
    '以下各项只有实机才能验证，目前只在模拟卡上测试过。请在一张该镜像的卡上逐项试验，并登记结果；登记只作标记，不改变任何行为',
    'Only a card of this image can show these; so far they were tried on simulated cards alone. Try each on one card and say what came of it. It is a mark for people, and changes nothing by itself',
  ],
  question: ['试验项', 'Question'],
  reason: ['所见', 'What was seen'],
  triedBy: ['试验人', 'Tried by'],
  triedAt: ['试验时间', 'Tried at'],
  tell: ['登记结果', 'Say what came of it'],
  tellQuestion: [
    '在原因中写明在哪张卡上、如何试验、看到什么；选“未试验”可撤回登记',
    'Say in the reason on which card it was tried, how, and what was seen. Untried takes back what was said',
  ],
  until: ['在登记为可用之前', 'Until it is said to work'],
  untilThen: {
    root: [
      '卡重启后若没有 root 权限，备份与清除不会进行，并说明原因',
      'A card without root after a restart is neither copied nor wiped, and says so',
    ],
    stopped: [
      '按停止框架后 ADB 仍可用来备份；若卡因此失联，云手机待处理，什么都不清除',
      'Copies stop Android and count on ADB going on. If the card is lost by that, its phone waits for a person, and nothing is wiped',
    ],
    tools: [
      '使用卡自带的命令，不另行推送；列表不完整时不备份',
      "The card's own are used, none is pushed. Where a list is not whole nothing is copied",
    ],
    labels: [
      '恢复后核对归属、标签与桌面；不符时换卡，配额不核对',
      'Owners, labels and the launcher are compared after a restore, and another card is taken where they differ; quotas are not looked at',
    ],
    wiped: [
      '画像认定之前，仅在有人确认后清除',
      "Until the profile is marked as tried, a card is wiped at a person's word alone",
    ],
    speed: [
      '排队时长按近一小时的实际用时估算，没有实测时不显示',
      'Waits are told from what was measured within the last hour, and not at all before that',
    ],
    identity: [
      '应用看到的序列号、MAC、IMEI 是安卓卡自己的；换卡后会变',
      'Apps see the serial, MAC and IMEI of the card itself, and others on the next card',
    ],
    probes: [
      '是否使用中只以网关为准；网关无心跳时视为仍在使用',
      'Only the gateway says whether a phone is used; while it is silent who was there counts as there',
    ],
  },
  fields: { outcome: ['结果', 'Outcome'] },
})
