import { rule } from '../model.ts';
import type { Done, Effects } from './effect.ts';

const isLost = (done: Done) => rule(done.model.lost, 'money was divided although the layer is not lost');

/** What is left when the layer is lost. */
export const wayOutEffects: Effects = {
  26: (done) => {
    isLost(done);
    const { model } = done;
    const token = model.tokenOfPool(done.at(3));
    const index = done.u32(1);
    rule(!token.redeemed.has(index), 'a leaf was redeemed twice');
    const [amount, number] = [done.u64(22), done.u64(30)];
    const leaf = token.recorded?.balances[index];
    rule(leaf !== undefined || token.lied, 'a leaf was redeemed that was not recorded');
    if (leaf !== undefined) {
      done.signedBy(0, leaf.holder.recipient, 'recipient');
      rule(leaf.amount === amount && leaf.number === number, 'a leaf was redeemed otherwise than recorded');
    }
    rule(number === 0n || !token.paidNumbers.has(number), 'a withdrawal was redeemed that the base has paid');
    rule(amount > 0n && amount <= token.left, 'more was redeemed than the recorded total');
    rule(done.at(5) !== token.token.poolToken, 'the pool redeemed to itself');
    model.move(token.token.poolToken, done.at(5), amount);
    token.redeemed.add(index);
    token.paidOut += amount;
    token.left -= amount;
  },
  27: (done) => {
    isLost(done);
    const { model } = done;
    const schedule = model.schedule(done.at(1));
    const { token, vault } = schedule.vault;
    const window = schedule.open;
    rule(window !== undefined, 'a window was reclaimed that is not open');
    const paid = done.u64(5);
    if (window.opening > token.recordedOpenings) rule(paid === 0n, 'a window that nobody recorded has paid');
    else {
      const leaf = token.recorded?.windows.find((each) => each.schedule === schedule.schedule.address);
      rule(leaf?.paid === paid || token.lied, 'a window was reclaimed otherwise than recorded');
    }
    rule(paid <= window.amount, 'a window paid more than its amount');
    const returned = window.amount - paid;
    model.move(token.token.poolToken, vault.tokenAccount, returned);
    token.returned += returned;
    if (window.opening <= token.recordedOpenings) token.left -= returned;
    rule(token.left >= 0n, 'more was reclaimed than the recorded total');
    token.open -= window.amount;
    token.closings += 1n;
    schedule.vault.paid += paid;
    schedule.open = undefined;
    schedule.window += 1n;
    schedule.left = 0;
    schedule.reserved = 0;
    schedule.status = 'cancelled';
    schedule.proposal = undefined;
  },
};
