"""The previous release writes rows without these columns while sites upgrade: the database fills them."""

import campaigns.models.campaign
import campaigns.models.showing
import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('campaigns', '0006_bounds_of_settings'),
    ]

    operations = [
        migrations.AlterField(
            model_name='campaign',
            name='allows_anonymous_teams',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='asks_acceptance',
            field=models.BooleanField(db_default=False, default=False, help_text='A run counts once its team has seen the check sheet and says so.'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='asks_priority',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='attempt_quota',
            field=models.PositiveSmallIntegerField(db_default=50, default=50, help_text='Files per team in 24 hours, whatever became of them.', validators=[django.core.validators.MaxValueValidator(32767)]),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='document_address',
            field=models.CharField(blank=True, db_default='', default='', help_text='Where a document can be read; {doc_id} stands for its id.', max_length=500, validators=[campaigns.models.campaign.check_document_address]),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='feedback',
            field=models.CharField(choices=[('none', 'none before publication'), ('rounded', 'the mean to two decimals, for few runs'), ('ladder', "the team's best mean, and only when it clearly rises")], db_default='none', default='none', max_length=7),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='feedback_days',
            field=models.PositiveSmallIntegerField(db_default=30, default=30, validators=[django.core.validators.MaxValueValidator(32767)]),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='feedback_measure',
            field=models.CharField(blank=True, db_default='', default='', max_length=80),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='feedback_runs',
            field=models.PositiveSmallIntegerField(db_default=2, default=2, validators=[django.core.validators.MaxValueValidator(32767)]),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='feedback_step',
            field=models.FloatField(db_default=0.01, default=0.01, validators=[django.core.validators.MinValueValidator(0.0)]),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='feedback_topics',
            field=models.JSONField(blank=True, db_default=[], default=list),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='joining',
            field=models.CharField(choices=[('open', 'anyone may found a team'), ('approval', 'an organiser approves each team'), ('invited', 'teams are founded by organisers only')], db_default='open', default='open', max_length=8),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='preset',
            field=models.CharField(choices=[('trec', 'TREC style: nothing until published'), ('live', 'live board: means of every run from the first day'), ('classroom', 'class room: the course sees its own board, nobody else does'), ('own', 'switches set one by one')], db_default='trec', default='trec', max_length=9),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='run_fields',
            field=models.JSONField(blank=True, db_default=[], default=list),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='run_types',
            field=models.JSONField(db_default=['automatic', 'manual', 'feedback'], default=campaigns.models.campaign.all_run_types),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='runs_audience',
            field=models.PositiveSmallIntegerField(choices=[(0, 'organisers only'), (1, 'participants'), (2, 'everyone')], db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='stage_switches',
            field=models.JSONField(db_default={'closed': {'board_audience': 0, 'per_topic_audience': 0, 'qrels_audience': 0, 'run_files_audience': 0, 'runs_audience': 0, 'shows_own_scores': False}, 'draft': {'board_audience': 0, 'per_topic_audience': 0, 'qrels_audience': 0, 'run_files_audience': 0, 'runs_audience': 0, 'shows_own_scores': False}, 'judging': {'board_audience': 0, 'per_topic_audience': 0, 'qrels_audience': 0, 'run_files_audience': 0, 'runs_audience': 0, 'shows_own_scores': False}, 'open': {'board_audience': 0, 'per_topic_audience': 0, 'qrels_audience': 0, 'run_files_audience': 0, 'runs_audience': 0, 'shows_own_scores': False}, 'published': {'board_audience': 2, 'per_topic_audience': 2, 'qrels_audience': 0, 'run_files_audience': 0, 'runs_audience': 2, 'shows_own_scores': True}}, default=campaigns.models.showing.trec_style, validators=[campaigns.models.showing.check_stage_switches]),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='terms',
            field=models.TextField(blank=True, db_default='', default='', help_text='To be accepted before the first run; Markdown.'),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='is_adjudication',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='is_unsure',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='key',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='note',
            field=models.CharField(blank=True, db_default='', default='', max_length=1000),
        ),
        migrations.AlterField(
            model_name='membership',
            name='terms_digest',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
        migrations.AlterField(
            model_name='qrels',
            name='warnings',
            field=models.JSONField(blank=True, db_default=[], default=list),
        ),
        migrations.AlterField(
            model_name='run',
            name='answers',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AlterField(
            model_name='run',
            name='check_sheet',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AlterField(
            model_name='team',
            name='disqualified_reason',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AlterField(
            model_name='team',
            name='is_anonymous',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='team',
            name='shares_files',
            field=models.BooleanField(db_default=False, default=False, help_text='Its run files may be passed on.'),
        ),
        migrations.AlterField(
            model_name='user',
            name='gets_notices',
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
