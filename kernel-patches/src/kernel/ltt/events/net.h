/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that devices are given to send, have sent, and receive. */

LTT_EVENT(net_dev_queue, net_dev_queue, NULL,
	  LTT_PROTO(struct sk_buff *skb), LTT_ARGS(skb),
	  LTT_FIELDS(LTT_PTR(skbaddr, skb)
		     LTT_INT(u32, len, skb->len)
		     LTT_CHARS(name, skb->dev->name)))

LTT_EVENT(net_dev_xmit, net_dev_xmit, NULL,
	  LTT_PROTO(struct sk_buff *skb, int rc, struct net_device *dev,
		    unsigned int skb_len),
	  LTT_ARGS(skb, rc, dev, skb_len),
	  LTT_FIELDS(LTT_PTR(skbaddr, skb)
		     LTT_INT(s32, rc, rc)
		     LTT_INT(u32, len, skb_len)
		     LTT_CHARS(name, dev->name)))

LTT_EVENT(net_if_receive_skb, netif_receive_skb, NULL,
	  LTT_PROTO(struct sk_buff *skb), LTT_ARGS(skb),
	  LTT_FIELDS(LTT_PTR(skbaddr, skb)
		     LTT_INT(u32, len, skb->len)
		     LTT_CHARS(name, skb->dev->name)))
