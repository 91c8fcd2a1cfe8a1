import json
from dataclasses import dataclass, field

class InsufficientFunds(Exception):
    pass

@dataclass
class Account:
    owner: str
    balance: float = 0.0
    history: list = field(default_factory=list)

    def deposit(self, amount: float) -> None:
        if amount <= 0:
            raise ValueError("Deposit must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount: float) -> None:
        if amount > self.balance:
            raise InsufficientFunds(f"{self.owner} has {self.balance:.2f}, needs {amount:.2f}")
        self.balance -= amount
        self.history.append(("withdraw", amount))

def main():
    account = Account("Alice")
    account.deposit(100)
    for amount in (30, 200):
        try:
            account.withdraw(amount)
            print(f"✓ withdrew {amount}")
        except InsufficientFunds as error:
            print(f"✗ {error}")
    print(json.dumps(account.__dict__, indent=2))

if __name__ == "__main__":
    main()
