SHELL := bash
.DEFAULT_GOAL := help

installed := node_modules/.package-lock.json
# Not through npm, which keeps signals to itself. Like this, a signal that ends make reaches Outrider, which can finish.
outrider := node_modules/.bin/node src/cli/outrider.ts

.PHONY: help npm install demo up build-outbox-publisher run-outbox-publisher test test-n8n n8n check bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

npm:
	@$(if $(shell command -v npm),:,$(error npm is missing: install Node.js, which brings it (https://nodejs.org)))

$(installed): package-lock.json | npm
	@echo 'Installing the npm packages…'
	@npm ci --no-fund --no-audit --loglevel=error
	@touch $@

install: $(installed) ## Install the npm packages, if the lockfile has changed

demo: install ## Watch what Outrider does, on simulators of Telegram, MAX and VK
	@$(outrider) demo

up: install ## Run everything on simulators, until Ctrl-C; prints the address of a page to try it with
	@$(outrider) up --sandbox

build-outbox-publisher: install ## Build what bin/outbox-publisher runs
	@npm run --silent build

run-outbox-publisher: install ## Carry events from the outbox to a broker (default: the log), until Ctrl-C
	@$(outrider) publish

test: install ## Run the whole test suite; it starts the servers that it needs
	@npm run --silent test

n8n: install ## Run n8n as the only orchestrator, on simulators, until Ctrl-C; the first time it installs n8n
	@node_modules/.bin/node scripts/n8n.ts

test-n8n: install ## Test the workflows in a real n8n; the first time it installs n8n
	@npm run --silent test:n8n

check: install ## Check format, lint, types, unused code, the package and the SQL
	@npm run --silent check

bench: install ## Measure against peers on this machine
	@npm run --silent bench

clean: ## Remove what was built
	rm -rf dist coverage
