// A key without a cap has no amount, so the amount is disabled until a period is chosen. Without this script, the
// service refuses an amount without a period.
const period = document.getElementById('period');
const amount = document.getElementById('amount');

function setAmount() {
  amount.disabled = period.value === 'none';
  amount.required = !amount.disabled;
}

if (period !== null) {
  period.addEventListener('change', () => {
    setAmount();
    if (!amount.disabled && amount.value === '') amount.value = amount.placeholder;
  });
  setAmount();
}
